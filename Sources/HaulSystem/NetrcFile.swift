/// What haul needs to know of a netrc file before libcurl reads it.
package enum NetrcFile {
    /// Longest file that is looked at.
    private static let limit = 1 << 20

    /// Whether a file has an entry that is meant for every host (`default`).
    ///
    /// - Parameter path: the file; nil is `.netrc` in the home directory, which need not be there.
    /// - Returns: also true where it can't be told: the entries then go to the origin only.
    /// - Throws: what open(2) or read(2) said.
    package static func hasDefault(_ path: String?) throws(SystemError) -> Bool {
        let bytes: [UInt8]?
        if let path {
            // libcurl reads it for every request, which a pipe could not stand.
            guard try FileFacts.following(path)?.isRegular ?? true else {
                throw SystemError(refusing: path, because: "is no regular file")
            }
            bytes = try SmallFile.read(path, limit: limit)
        } else {
            guard let home = SmallFile.environment("HOME") else { return true }
            do { bytes = try SmallFile.read(home + "/.netrc", limit: limit) } catch let error where error.isNotFound {
                return false
            }
        }
        guard let bytes else { return true }
        // A password called so makes the answer stricter than it need be, and no more.
        return bytes.split { $0 <= 0x20 || $0 == UInt8(ascii: "\"") }.contains { $0.elementsEqual("default".utf8) }
    }
}
