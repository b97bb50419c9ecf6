import Glibc
import HaulTestSupport

/// What a directory holds after a cut, and again when the machine is up.
struct DiskState: Sendable {
    /// One file.
    struct File: Sendable {
        var bytes: [UInt8]
        var mode: UInt32 = 0o600
        /// In seconds since 1970; nil is the time of the last write.
        var modificationTime: Int64?
    }

    /// The files; one may have several names.
    var files: [Int: File] = [:]
    /// Names within the directory, such as `a` or `folder/a`, and which file each names.
    var names: [String: Int] = [:]

    /// The file that a name leads to, nil if there is none.
    subscript(_ name: String) -> File? { names[name].flatMap { files[$0] } }

    /// Adds a file.
    mutating func add(_ name: String, _ file: File) {
        let number = files.count
        files[number] = file
        names[name] = number
    }

    /// Writes everything into an existing directory.
    ///
    /// - Parameter directory: where.
    /// - Throws: `ProcessError` when a file can't be written.
    func write(to directory: String) throws(ProcessError) {
        var written: [Int: String] = [:]
        for (name, number) in names.sorted(by: { $0.key < $1.key }) {
            let path = directory + "/" + name
            if let other = written[number] {
                guard link(other, path) == 0 else { throw ProcessError(call: "link", path: path, code: errno) }
                continue
            }
            guard let file = files[number] else { continue }
            try FileContents.write(file.bytes, to: path)
            chmod(path, mode_t(file.mode))
            if let time = file.modificationTime {
                let both = [timespec(tv_sec: time_t(time), tv_nsec: 0), timespec(tv_sec: time_t(time), tv_nsec: 0)]
                utimensat(AT_FDCWD, path, both, 0)
            }
            written[number] = path
        }
    }
}

extension DiskState: CustomStringConvertible {
    var description: String {
        names.sorted { $0.key < $1.key }.map { name, number in
            "\(name) (\(files[number]?.bytes.count ?? 0) bytes)"
        }.joined(separator: ", ")
    }
}
