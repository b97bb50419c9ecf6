/// Codings that servers put on files which are stored that way.
package enum StoredCoding {
    /// Whether a file's name says that it is stored in `coding`, so that the label changes nothing about the bytes.
    ///
    /// Some servers label `.tar.gz` with `Content-Encoding: gzip` whatever was asked for; curl and wget store it as sent.
    ///
    /// - Parameters:
    ///   - coding: value of `Content-Encoding`, in lower case.
    ///   - path: path of the address.
    /// - Returns: whether the name explains the label.
    package static func explains(_ coding: String, path: String) -> Bool {
        let suffixes: [String]
        switch coding {
        case "gzip", "x-gzip": suffixes = [".gz", ".tgz", ".svgz", ".emz", ".vcf.bgz", ".bgz"]
        case "br": suffixes = [".br"]
        case "zstd": suffixes = [".zst", ".zstd", ".tzst"]
        case "compress", "x-compress": suffixes = [".z"]
        case "bzip2", "x-bzip2": suffixes = [".bz2", ".tbz", ".tbz2"]
        case "xz", "x-xz": suffixes = [".xz", ".txz"]
        default: return false
        }
        let name = path.lowercased()
        return suffixes.contains { name.hasSuffix($0) }
    }
}
