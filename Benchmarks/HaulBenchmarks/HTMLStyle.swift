/// The page's style sheet.
enum HTMLStyle {
    /// Eight colours that can be told apart, in a lighter set for dark pages.
    static let text = """
        :root { --page: #fcfcfb; --ink: #1f1f1d; --soft: #6b6a66; --rule: #e2e0da;
          --k0: #1f6fd0; --k1: #d5541f; --k2: #10866a; --k3: #7a7974; --k4: #b07a00; --k5: #7b4fc9; --k6: #c23b78;
          --k7: #4b8f29; }
        @media (prefers-color-scheme: dark) {
          :root { --page: #171716; --ink: #ecebe6; --soft: #a3a19a; --rule: #34332f;
            --k0: #5c9df0; --k1: #f0814f; --k2: #35b391; --k3: #a9a79f; --k4: #d9a52e; --k5: #a586ec; --k6: #e873a6;
            --k7: #7fbf5d; } }
        * { box-sizing: border-box; }
        body { margin: 0 auto; padding: 1rem 1rem 3rem; max-width: 68rem; background: var(--page); color: var(--ink);
          font: 15px/1.45 system-ui, sans-serif; }
        h1 { font-size: 1.6rem; margin: .5rem 0; } h2 { font-size: 1.2rem; margin: 0 0 .25rem; }
        h2 small { font-weight: 400; color: var(--soft); font-size: .95rem; }
        p { margin: .25rem 0 .75rem; max-width: 46rem; }
        header p, footer p, .note { color: var(--soft); } .note { font-size: .87rem; }
        nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; } a { color: var(--k0); }
        section { border-top: 1px solid var(--rule); margin-top: 1.75rem; padding-top: 1.25rem; }
        .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1rem 2rem; }
        figure { margin: 0; min-width: 0; }
        figcaption { color: var(--soft); font-size: .87rem; margin-bottom: .35rem; }
        .row { display: grid; grid-template-columns: 6.5em 1fr 7em; gap: .5rem; align-items: center;
          font-size: .87rem; margin: .2rem 0; }
        .name { text-align: right; white-space: nowrap; } .value { white-space: nowrap; }
        .value, td { font-variant-numeric: tabular-nums; }
        .value i { font-style: normal; color: var(--soft); }
        .track { position: relative; height: 1.05em; border-left: 1px solid var(--rule); }
        .bar { position: absolute; inset: 0 auto 0 0; border-radius: 0 3px 3px 0; }
        .whisker { position: absolute; top: 50%; height: 0; border-top: 1px solid var(--ink); }
        .whisker::before, .whisker::after { content: ""; position: absolute; top: -4px; height: 7px;
          border-left: 1px solid var(--ink); }
        .whisker::before { left: 0; } .whisker::after { right: 0; }
        .plot { margin: 1.25rem 0; } .plot figcaption { margin-bottom: .9rem; } .frame { display: flex; height: 13rem; }
        .scale { display: flex; flex-direction: column; justify-content: space-between; text-align: right;
          padding-right: .5rem; width: 3.5em; flex: none; }
        .scale, .time, .legend { font-size: .8rem; color: var(--soft); font-variant-numeric: tabular-nums; }
        .scale span { line-height: 1; margin: -.5em 0; }
        svg { flex: 1; min-width: 0; height: 100%; overflow: visible; border-bottom: 1px solid var(--soft); }
        svg * { vector-effect: non-scaling-stroke; } polyline { fill: none; stroke-width: 1.75; }
        .grid { stroke: var(--rule); stroke-width: 1; }
        .time { display: flex; justify-content: space-between; margin: .4rem 0 .4rem 3.5em; }
        .legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin-left: 3.5em; color: var(--ink); }
        .legend b { display: inline-block; width: .9em; height: .9em; border-radius: 2px; margin-right: .4em;
          vertical-align: -.08em; }
        .scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .87rem; }
        td, th { padding: .2rem .9rem .2rem 0; text-align: right; white-space: nowrap; font-weight: 400; }
        th[scope=row] { text-align: left; } thead th { color: var(--soft); border-bottom: 1px solid var(--rule); }
        """ + "\n"
        + (0..<8).map { ".c\($0) { background: var(--k\($0)); } .l\($0) { stroke: var(--k\($0)); }" }
        .joined(separator: "\n")
}
