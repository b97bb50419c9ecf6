/// What is fuzzed: everything that reads bytes of servers, of other programs' files, or of a damaged disk.
enum FuzzTarget: String, CaseIterable, Sendable {
    /// Heads of answers, and everything that is read from their fields.
    case head
    /// `Content-Range`.
    case contentRange = "content-range"
    /// `Content-Disposition`, and paths of addresses: names of files.
    case name
    /// Dates, and `Retry-After`.
    case date
    /// Addresses and redirects.
    case address
    /// Any bytes as a journal.
    case journal
    /// Journals whose checksums are right and whose values are hostile.
    case records
    /// Lists of checksums.
    case checksums
    /// Header lines that users write.
    case headerLine = "header-line"

    /// Checks one input; a crash, or a thrown finding, is a fault of haul.
    func check(_ bytes: [UInt8]) throws(Finding) {
        switch self {
        case .head: try HeadTarget.check(bytes)
        case .contentRange: try ContentRangeTarget.check(bytes)
        case .name: try NameTarget.check(bytes)
        case .date: try DateTarget.check(bytes)
        case .address: try AddressTarget.check(bytes)
        case .journal: try JournalTarget.check(bytes)
        case .records: try JournalTarget.check(RecordsTarget.journal(bytes))
        case .checksums: try ChecksumsTarget.check(bytes)
        case .headerLine: try HeaderLineTarget.check(bytes)
        }
    }
}
