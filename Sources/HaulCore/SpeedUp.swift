/// How much faster several connections are than one: known only where both were at work for a while.
///
/// One connection counts when it was alone and others joined it later. The last one at the end of a download does not: it
/// is there because it is slow.
package struct SpeedUp: Sendable {
    /// Time and bytes of one kind of stretch.
    private struct Sum: Sendable {
        var time = Duration.zero
        var bytes: Int64 = 0

        var rate: Double { time > .zero ? Double(bytes) / time.seconds : 0 }
    }

    /// A stretch in which nothing joined or left but what keeps its kind.
    private struct Stretch: Sendable {
        let isAlone: Bool
        let start: Duration
        /// Where counting began, behind the time in which connections get up to speed; nil before.
        var counted: (time: Duration, received: Int64)?
        var last: (time: Duration, received: Int64)

        var sum: Sum {
            guard let counted else { return Sum() }
            return Sum(time: last.time - counted.time, bytes: max(0, last.received - counted.received))
        }
    }

    /// Time in which connections get up to speed.
    private static let warmUp: Duration = .milliseconds(300)
    /// Time that must have been seen of either kind.
    private static let least: Duration = .milliseconds(500)

    private var alone = Sum()
    private var together = Sum()
    private var stretch: Stretch?

    /// Makes it with nothing seen.
    package init() {}

    /// Time went by.
    ///
    /// - Parameters:
    ///   - answered: connections that bring bytes.
    ///   - received: bytes that have come in all.
    ///   - now: time on the engine's clock.
    package mutating func tick(answered: Int, received: Int64, now: Duration) {
        guard answered > 0 else {
            end(isJoined: false)
            return
        }
        let isAlone = answered == 1
        if stretch?.isAlone != isAlone {
            end(isJoined: !isAlone)
            stretch = Stretch(isAlone: isAlone, start: now, last: (now, received))
        }
        stretch?.last = (now, received)
        if let begun = stretch, begun.counted == nil, now - begun.start >= Self.warmUp {
            stretch?.counted = (now, received)
        }
    }

    /// Rate of several connections divided by that of one; nil unless both were seen for long enough.
    package var factor: Double? {
        var together = together
        if let stretch, !stretch.isAlone { together = Self.sum(together, stretch.sum) }
        guard alone.time >= Self.least, together.time >= Self.least, alone.rate > 0 else { return nil }
        return together.rate / alone.rate
    }

    private mutating func end(isJoined: Bool) {
        guard let ended = stretch else { return }
        stretch = nil
        if !ended.isAlone {
            together = Self.sum(together, ended.sum)
        } else if isJoined {
            alone = Self.sum(alone, ended.sum)
        }
    }

    private static func sum(_ left: Sum, _ right: Sum) -> Sum {
        Sum(time: left.time + right.time, bytes: left.bytes + right.bytes)
    }
}
