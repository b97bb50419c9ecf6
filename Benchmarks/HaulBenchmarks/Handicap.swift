/// A way to make haul worse on purpose, to see that the thresholds notice.
///
/// Nothing of it is in the product: the library is run in another way, or against another origin, by this program.
enum Handicap: String, CaseIterable, Sendable {
    /// The origin gives haul's several connections half of what it gives others, and 100 MiB/s where it has no limit.
    case throttle
    /// The process spends two seconds of CPU for each GiB beside the library.
    case burn
    /// The file is fetched twice.
    case twice
    /// The process keeps 200 MiB of memory beside the library.
    case hoard
    /// The process sits half a second before it ends.
    case linger

    /// What an origin does to a handicapped contender.
    func plan(_ plan: OriginPlan) -> OriginPlan {
        guard self == .throttle else { return plan }
        var plan = plan
        if let rate = plan.connectionRate { plan.connectionRate = rate / 2 } else { plan.totalRate = 100 << 20 }
        return plan
    }
}
