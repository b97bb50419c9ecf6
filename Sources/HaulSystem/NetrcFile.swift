import HaulCore

/// What haul needs to know of a netrc file before libcurl reads it.
package struct NetrcFile: Sendable {
    /// Whether it has an entry that is meant for every host (`default`).
    ///
    /// Also true where it can't be told: the entries then go to the origin only.
    package let hasDefault: Bool
    /// Its first mistake, as `FILE:LINE: what is wrong and what to do`; nil if there is none.
    package let problem: String?

    /// Longest file that is looked at.
    private static let limit = 1 << 20

    /// Looks at a file.
    ///
    /// - Parameter path: the file; nil is `.netrc` in the home directory.
    /// - Returns: nil if there is no file in the home directory.
    /// - Throws: what open(2) or read(2) said, and that it is no regular file. A mistake in it is no error but a
    ///   `problem`.
    package static func read(_ path: String?) throws(SystemError) -> NetrcFile? {
        if let path {
            // libcurl reads it for every request, which a pipe could not stand.
            guard try FileFacts.following(path)?.isRegular ?? true else {
                throw SystemError(refusing: path, because: "is no regular file")
            }
            return NetrcFile(try SmallFile.read(path, limit: limit), path)
        }
        guard let home = SmallFile.environment("HOME") else { return NetrcFile(nil, "") }
        let file = home + "/.netrc"
        do { return NetrcFile(try SmallFile.read(file, limit: limit), file) } catch let error where error.isNotFound {
            return nil
        }
    }

    private init(_ bytes: [UInt8]?, _ path: String) {
        guard let bytes else {
            hasDefault = true
            problem = "\(path) is longer than \(Self.limit >> 20) MiB: is it a netrc file?"
            return
        }
        // A password called so makes the answer stricter than it need be, and no more. libcurl knows it in any case.
        hasDefault = bytes.split { $0 <= 0x20 || $0 == UInt8(ascii: "\"") }.contains { word in
            word.elementsEqual("default".utf8) { $0 | 0x20 == $1 }
        }
        do throws(NetrcSyntax.Problem) {
            try NetrcSyntax.check(bytes)
            problem = nil
        } catch {
            problem = "\(path):\(error.line): \(error.reason)"
        }
    }
}
