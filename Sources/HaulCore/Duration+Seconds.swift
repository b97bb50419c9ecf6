extension Duration {
    /// The time in whole seconds, rounded.
    package var wholeSeconds: Int64 { components.seconds + (components.attoseconds >= 500_000_000_000_000_000 ? 1 : 0) }

    /// The time in seconds.
    package var seconds: Double { self / .seconds(1) }
}
