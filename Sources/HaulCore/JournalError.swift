/// Why bytes are no journal that can be gone on from.
package enum JournalError: Error, Hashable, Sendable {
    /// The magic bytes are missing: cut short, zeroed, or another program's file.
    case foreign
    /// A version that this program does not know.
    case unsupportedVersion(Int)
    /// The header is cut short or its checksum is wrong.
    case damagedHeader
    /// The header is whole, and what it says is impossible.
    case impossibleHeader
    /// More `forget` records than any disk gives cause for.
    case tooManyBadRanges

    /// What is wrong, in words that follow "the journal".
    package var reason: String {
        switch self {
        case .foreign: "is not one of haul's"
        case .unsupportedVersion(let version): "has version \(version), which this haul does not know"
        case .damagedHeader: "is damaged at its beginning"
        case .impossibleHeader: "contradicts itself"
        case .tooManyBadRanges: "names too many bad ranges to be trusted"
        }
    }
}
