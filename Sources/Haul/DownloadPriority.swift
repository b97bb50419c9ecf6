/// Which of the downloads that wait for their turn comes first.
///
/// The highest goes first, and among equals the one that came first. Downloads under way are not stopped for one of a
/// higher priority.
public struct DownloadPriority: RawRepresentable, Comparable, Hashable, Sendable, Codable {
    /// Any number: higher goes first.
    public var rawValue: Int

    /// Makes a priority.
    ///
    /// - Parameter rawValue: any number: higher goes first.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// −100: when nothing else waits.
    public static let low = DownloadPriority(rawValue: -100)
    /// 0, the default.
    public static let normal = DownloadPriority(rawValue: 0)
    /// 100: before the others.
    public static let high = DownloadPriority(rawValue: 100)

    /// Whether the left one waits longer.
    public static func < (left: DownloadPriority, right: DownloadPriority) -> Bool { left.rawValue < right.rawValue }
}
