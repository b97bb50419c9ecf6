/// Plays a script: turns it, piece by piece, into what goes over the wire.
///
/// The server sends what comes out, the in-memory transport reads it: both see the same bytes.
package struct OriginPlayer: Sendable {
    /// What is to be done next.
    package enum Action: Hashable, Sendable {
        /// Send the first `count` bytes of the buffer, of which `body` are body.
        case send(count: Int, body: Int)
        /// Wait.
        case pause(Duration)
        /// Be silent until the client leaves.
        case stall
        /// Break the connection.
        case reset
        /// Close the connection.
        case close
        /// The answer is over; the connection stays open or is closed.
        case finished(keepsConnection: Bool)
    }

    /// Bytes of body a second, nil for no limit.
    package let rate: Int64?

    private let steps: [OriginStep]
    private let keepsConnection: Bool
    private var index = 0
    /// Bytes of the current step that are done.
    private var progress: Int64 = 0
    /// Bytes that come before the current step's.
    private var pending: ArraySlice<UInt8> = []
    /// Bytes of content left in the current chunk.
    private var chunk: Int64 = 0

    /// Whether everything has been handed out but the last `finished`.
    package var isAtEnd: Bool { index >= steps.count && pending.isEmpty }

    /// Makes a player at the script's beginning.
    package init(_ script: OriginScript) {
        steps = script.steps
        rate = script.rate
        keepsConnection = script.keepsConnection
    }

    /// Fills `buffer` with the bytes that come next, up to the next step that is no bytes.
    package mutating func next(into buffer: UnsafeMutableRawBufferPointer) -> Action {
        var filled = 0
        var body = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            if !pending.isEmpty {
                filled += copy(&pending, into: rest)
                continue
            }
            guard index < steps.count else { break }
            let written: Int
            switch steps[index] {
            case .head(let head):
                pending = head.bytes[...]
                index += 1
                continue
            case .raw(let bytes):
                pending = bytes[...]
                index += 1
                continue
            case .endless(let bytes):
                pending = bytes[...]
                continue
            case .body(let bytes):
                var left = bytes[Int(progress)...]
                written = copy(&left, into: rest)
                advance(written, of: Int64(bytes.count))
            case .filler(let byte, let count):
                written = Int(min(Int64(rest.count), count - progress))
                UnsafeMutableRawBufferPointer(rebasing: rest[..<written]).initializeMemory(
                    as: UInt8.self, repeating: byte)
                advance(written, of: count)
            case .content(let content, let range, let flipped):
                written = fill(rest, content, range, flipped, atMost: .max)
                advance(written, of: Int64(range.count))
            case .chunks(let content, let range, let flipped, let size):
                guard !range.isEmpty else {
                    index += 1
                    continue
                }
                if chunk == 0 {
                    let left = Int64(range.count) - progress
                    chunk = min(Int64(size), left)
                    pending = Array("\(String(chunk, radix: 16))\r\n".utf8)[...]
                    continue
                }
                written = fill(rest, content, range, flipped, atMost: chunk)
                chunk -= Int64(written)
                if chunk == 0 { pending = Array("\r\n".utf8)[...] }
                advance(written, of: Int64(range.count))
            case .pause, .stall, .reset, .close:
                return filled > 0 ? .send(count: filled, body: body) : takeControlStep()
            }
            filled += written
            body += written
        }
        return filled > 0 ? .send(count: filled, body: body) : .finished(keepsConnection: keepsConnection)
    }

    private mutating func takeControlStep() -> Action {
        defer { index += 1 }
        switch steps[index] {
        case .pause(let duration): return .pause(duration)
        case .reset: return .reset
        case .close: return .close
        default: return .stall
        }
    }

    private mutating func advance(_ count: Int, of total: Int64) {
        progress += Int64(count)
        if progress >= total {
            progress = 0
            index += 1
        }
    }

    private func copy(_ source: inout ArraySlice<UInt8>, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(source.count, buffer.count)
        buffer.copyBytes(from: source.prefix(count))
        source = source.dropFirst(count)
        return count
    }

    private func fill(
        _ buffer: UnsafeMutableRawBufferPointer, _ content: OriginContent, _ range: Range<Int64>, _ flipped: Int64?,
        atMost limit: Int64
    ) -> Int {
        let start = range.lowerBound + progress
        let count = Int(min(Int64(buffer.count), range.upperBound - start, limit))
        content.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), from: start)
        if let flipped, flipped >= start, flipped < start + Int64(count) {
            buffer[Int(flipped - start)] ^= 1
        }
        return count
    }
}
