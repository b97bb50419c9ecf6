extension OriginDraft {
    /// Changes the answer as `behavior` demands.
    mutating func apply(_ behavior: OriginBehavior, _ counter: inout OriginCounters) {
        applyToRange(behavior)
        applyToBody(behavior)
        applyToConnection(behavior, &counter)
    }

    private mutating func applyToRange(_ behavior: OriginBehavior) {
        switch behavior {
        case .noRanges:
            serveWhole()
            acceptRanges = nil
        case .acceptRangesNone:
            serveWhole()
            acceptRanges = "none"
        case .ignoresRange:
            serveWhole()
        case .rangesOnlyOnProbe:
            if ranged > 0 { serveWhole() }
        case .rangesLater(let count):
            if ranged < count { serveWhole() }
        case .unadvertisedRanges:
            acceptRanges = nil
        case .wrongContentRange(let shift):
            rangeField = .shifted(shift)
        case .shiftedContent(let shift):
            if status == 206 { self.shift = shift }
        case .blankRange(let count):
            if status == 206, ranged == count { resource.pattern = .uniform(0) }
        case .garbageContentRange:
            rangeField = .literal("bytes all of it/please")
        case .missingContentRange:
            rangeField = .literal(nil)
        case .unknownTotal:
            rangeField = .unknownTotal
        case .looselySpelledContentRange(let spelling):
            rangeField = .spelled(spelling)
        case .sliceWith200:
            if status == 206 {
                status = 200
                fields.append(OriginField("Content-Range", contentRange(range)))
            }
        case .wholeFileWith206:
            if status == 206 { range = 0..<resource.size }
        case .partsBeyondEnd:
            if status == 206, bytesBeyondEnd > 0 {
                let last = range.upperBound + bytesBeyondEnd - 1
                rangeField = .literal("bytes \(range.lowerBound)-\(last)/\(resource.size)")
                announcedExtra = bytesBeyondEnd
                cut = (Int64(range.count), .stall)
            }
        case .blockAlignedStart(let block):
            if status == 206 { range = (range.lowerBound / block * block)..<range.upperBound }
        case .shortRanges(let limit):
            if status == 206 { range = range.lowerBound..<min(range.upperBound, range.lowerBound + limit) }
        case .refusesEveryRange(let dialect):
            unsatisfied = dialect
            if case .bytes = asked {
                asked = .unsatisfiable
                (range, status) = (0..<0, 416)
            }
        case .refusesRangesBeyondEnd(let dialect):
            unsatisfied = dialect
            if status == 206, bytesBeyondEnd > 0 {
                asked = .unsatisfiable
                (range, status) = (0..<0, 416)
            }
        case .unsatisfiable(let dialect):
            unsatisfied = dialect
        case .partsWithoutEnd:
            if status == 416 { range = resource.size..<resource.size }
            status = 206
            rangeField = .unknownTotal
        case .validatorOnlyOn200:
            if status == 206 { (resource.etag, resource.lastModified) = (nil, nil) }
        default:
            break
        }
        if status == 416, unsatisfied == .whole { serveWhole() }
    }

    /// How many bytes behind the file's end were asked for by a range that names its last byte.
    private var bytesBeyondEnd: Int64 {
        // Of a file without end nothing is cut.
        guard case .bytes(let uncut) = visit.request.range(of: .max), uncut.upperBound < .max else { return 0 }
        return max(0, uncut.upperBound - resource.size)
    }

    private mutating func applyToBody(_ behavior: OriginBehavior) {
        switch behavior {
        case .lengthContradictsRange(let extra):
            if status == 206 { announcedExtra = max(extra, -Int64(range.count)) }
        case .multipartByteranges:
            guard status == 206 else { break }
            let type = resource.mediaType ?? "application/octet-stream"
            let head = "\r\n--PART\r\nContent-Type: \(type)\r\nContent-Range: \(contentRange(range))\r\n\r\n"
            wrapping = (Array(head.utf8), Array("\r\n--PART--\r\n".utf8))
            resource.mediaType = "multipart/byteranges; boundary=PART"
            rangeField = .literal(nil)
        case .gzipAnyway:
            fields.append(OriginField("Content-Encoding", "gzip"))
        case .gzipTransfer:
            framing = .chunked
            transferCodings = ["gzip"]
        case .htmlPage200:
            serveWhole()
            acceptRanges = nil
            page = Self.html
        case .htmlPage206:
            page = Self.html
        case .chunkedUnknownLength:
            serveWhole()
            acceptRanges = nil
            framing = .chunked
        case .chunkedWithRanges:
            framing = .chunked
        case .chunkedOverlong(let extra):
            framing = .chunked
            announcedExtra = extra
        case .chunkedCutShort:
            framing = .chunked
            cut = (Int64(range.count) / 2, .close)
        case .chunkedGarbage:
            framing = .chunked
            cut = (Int64(range.count) / 2, .raw(Array("sixteen\r\n".utf8)))
            keepsConnection = false
            announcesClose = false
        case .closeDelimited:
            serveWhole()
            acceptRanges = nil
            framing = .close
        case .closeDelimitedRanges:
            framing = .close
        case .bothLengthAndChunked:
            framing = .both
        case .conflictingLengths:
            lengths = ["\(range.count)", "\(range.count + 7)"]
            keepsConnection = false
        case .overlongBody(let extra):
            unannouncedExtra = extra
            keepsConnection = false
            announcesClose = false
        case .shortBody(let missing):
            cut = (max(0, Int64(range.count) - missing), .close)
        case .contentLengthAbsurd:
            lengths = ["99999999999999999999"]
            keepsConnection = false
        case .negativeLength:
            lengths = ["-1"]
            keepsConnection = false
        default:
            break
        }
    }

    private mutating func applyToConnection(_ behavior: OriginBehavior, _ counter: inout OriginCounters) {
        switch behavior {
        case .resetMidBody(let after):
            if range.count > after { cut = (after, .reset) }
        case .closesEvery(let bytes):
            if range.count > bytes { cut = (bytes, .close) }
        case .stallMidBody(let after, let times):
            if range.count > after, counter.shows(behavior, times: times) { cut = (after, .stall) }
        case .dripFeed(let rate):
            self.rate = rate
        case .oneSlowConnection(let connection, let rate):
            if visit.connection == connection { self.rate = rate }
        case .latency(let duration):
            prefix.insert(.pause(duration), at: 0)
        case .latencyOf(let request, let duration):
            if counter.requests == request { prefix.insert(.pause(duration), at: 0) }
        case .closesAfterResponses(let every, let announced):
            if visit.place.isMultiple(of: max(1, every)) {
                keepsConnection = false
                announcesClose = announced
            }
        case .keepAliveLeftovers(let late):
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nleftovers"
            suffix = (late ? [.pause(.milliseconds(30))] : []) + [.raw(Array(answer.utf8))]
        case .bitFlip(let offset, let times):
            if range.contains(offset), counter.shows(behavior, times: times) { flipped = offset }
        case .hugeHeaders(let bytes):
            fields.append(OriginField("X-Filler", String(repeating: "a", count: bytes)))
        case .hundredContinues(let count):
            let head = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
            prefix += count == .max ? [.endless(head)] : Array(repeating: .raw(head), count: count)
        case .earlyHints:
            let head = "HTTP/1.1 103 Early Hints\r\nContent-Length: 1\r\nETag: \"hint\"\r\nLink: </style.css>\r\n\r\n"
            prefix.append(.raw(Array(head.utf8)))
        case .http10:
            version = "HTTP/1.0"
            keepsConnection = false
        case .bareLineFeeds:
            lineEnd = "\n"
        case .headByteByByte:
            isHeadSlow = true
        default:
            break
        }
    }

    private static let html = Array(
        "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please sign in to this network.</body></html>\n"
            .utf8)
}
