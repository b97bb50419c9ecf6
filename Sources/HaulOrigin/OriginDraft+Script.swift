extension OriginDraft {
    /// The answer as a script.
    func script() -> OriginScript {
        guard status != 416 else { return refusalOfRange() }
        let body = bodySteps()
        var head = OriginHead(status: status, fields: headFields(length: body.announced))
        head.version = version
        head.lineEnd = lineEnd
        var steps = prefix
        if isHeadSlow {
            for byte in head.bytes { steps += [.raw([byte]), .pause(.microseconds(200))] }
        } else {
            steps.append(.head(head))
        }
        let isHeadOnly = visit.request.wantsHeadOnly
        if !isHeadOnly { steps += body.steps }
        let keeps = keepsConnection && (framing != .close || isHeadOnly)
        return OriginScript(steps + (isHeadOnly ? [] : suffix), rate: rate, keepsConnection: keeps)
    }

    /// `Content-Range` as the standard spells it.
    func contentRange(_ range: Range<Int64>) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(resource.size)"
    }

    private func headFields(length: Int64) -> [OriginField] {
        var all = [OriginField("Date", OriginMoment.httpDate(visit.moment.calendar))]
        func add(_ name: String, _ value: String?) {
            if let value { all.append(OriginField(name, value)) }
        }
        add("Accept-Ranges", acceptRanges)
        add("ETag", resource.etag)
        add("Last-Modified", resource.lastModified.map { OriginMoment.httpDate($0) })
        add("Content-Type", page == nil ? resource.mediaType : "text/html; charset=utf-8")
        add("Content-Disposition", resource.disposition)
        if status == 206 {
            switch rangeField {
            case .standard: add("Content-Range", contentRange(range))
            case .shifted(let shift):
                add("Content-Range", contentRange((range.lowerBound + shift)..<(range.upperBound + shift)))
            case .spelled(let spelling): add("Content-Range", spelling.spell(range, total: resource.size))
            case .unknownTotal: add("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/*")
            case .literal(let text): add("Content-Range", text)
            }
        }
        all += resource.fields + fields
        switch framing {
        case .length: for value in lengths ?? ["\(length)"] { add("Content-Length", value) }
        case .chunked: add("Transfer-Encoding", (transferCodings + ["chunked"]).joined(separator: ", "))
        case .both:
            add("Content-Length", "\(length)")
            add("Transfer-Encoding", "chunked")
        case .close: break
        }
        if announcesClose, !keepsConnection || framing == .close || visit.request.wantsClose {
            add("Connection", "close")
        }
        return all
    }

    /// What carries the body, and how many bytes of it are announced.
    private func bodySteps() -> (steps: [OriginStep], announced: Int64) {
        if let page { return pageSteps(page) }
        let sentLength = max(0, Int64(range.count) + announcedExtra)
        let wrapped = Int64(wrapping.before.count + wrapping.after.count)
        var carried = sentLength + unannouncedExtra
        if let cut { carried = min(carried, cut.after) }
        let start = max(0, range.lowerBound + shift)
        let bytes = start..<(start + carried)
        var steps: [OriginStep] = wrapping.before.isEmpty ? [] : [.body(wrapping.before)]
        switch framing {
        case .length, .close:
            if !bytes.isEmpty { steps.append(.content(resource.content, bytes, flipped: flipped)) }
        case .chunked, .both:
            steps.append(.chunks(resource.content, bytes, flipped: flipped, size: 16_000))
        }
        if let cut {
            steps.append(cut.step)
        } else {
            if !wrapping.after.isEmpty { steps.append(.body(wrapping.after)) }
            if framing == .chunked || framing == .both { steps.append(.raw(Array("0\r\n\r\n".utf8))) }
        }
        return (steps, sentLength + wrapped)
    }

    private func pageSteps(_ page: [UInt8]) -> (steps: [OriginStep], announced: Int64) {
        guard status == 206 else { return ([.body(page)], Int64(page.count)) }
        let length = Int64(range.count)
        let text = Array(page.prefix(Int(min(length, Int64(page.count)))))
        let rest = length - Int64(text.count)
        return ([.body(text)] + (rest > 0 ? [.filler(0x20, count: rest)] : []), length)
    }

    private func refusalOfRange() -> OriginScript {
        let field = unsatisfied.contentRange(total: resource.size).map { [OriginField("Content-Range", $0)] } ?? []
        if unsatisfied == .empty206 {
            let head = OriginHead(status: 206, fields: field + [OriginField("Content-Length", "0")])
            return OriginScript([.head(head)], keepsConnection: keepsConnection)
        }
        var fields = field
        if let etag = resource.etag { fields.append(OriginField("ETag", etag)) }
        return visit.refusal(unsatisfied == .badRequest ? 400 : 416, .none, fields: fields, keepsConnection: true)
    }
}
