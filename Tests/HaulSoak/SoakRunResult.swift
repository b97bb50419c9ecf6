import Haul

/// How one run ended, whoever ran it.
enum SoakRunResult: Sendable {
    /// With the file.
    case delivered
    /// By our doing.
    case brokenOff
    /// By SIGKILL, which we sent.
    case killed
    /// With a failure that has a name.
    case failed(String)
    /// As nothing may end.
    case fault(String)

    /// Names of failures that an origin can bring about.
    private static let named = ["unreachable", "refused", "resourceChanged", "integrity", "tls"]

    /// Judges an error of the library.
    init(_ error: DownloadError, wasCancelled: Bool) {
        let name = String(error.code.description.prefix { $0 != "(" })
        if error.code == .cancelled, wasCancelled {
            self = .brokenOff
        } else if Self.named.contains(name) {
            self = .failed(name)
        } else {
            self = .fault("\(error.code): \(error.message)")
        }
    }

    /// Judges an exit status of the program other than 0 (README's table).
    init(exitStatus: Int32, errors: String, wasInterrupted: Bool) {
        let names: [Int32: String] = [3: "unreachable", 4: "refused", 5: "integrity", 7: "resourceChanged"]
        if exitStatus == 130, wasInterrupted {
            self = .brokenOff
        } else if let name = names[exitStatus], errors.hasPrefix("haul: ") || errors.contains("\nhaul: ") {
            self = .failed(name)
        } else {
            self = .fault("exit status \(exitStatus): \(errors)")
        }
    }
}
