import Haul
import HaulOrigin

/// Where a download over URLSession ends otherwise than over libcurl, on Linux, and why: the one table of it.
enum SessionExceptions {
    /// What a conduct leads to instead, and the reason; nil if to what it must.
    static func exception(
        to behavior: OriginBehavior
    ) -> (expectation: EngineConformanceTests.Expectation, reason: String)? {
        switch behavior {
        case .bareLineFeeds:
            (
                .failure([.unreachable]),
                "FoundationNetworking takes a head for broken when its lines end with a line feed alone."
            )
        default: nil
        }
    }
}
