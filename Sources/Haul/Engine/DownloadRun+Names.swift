import HaulCore
import HaulSystem

/// Names in a batch, where several downloads may want one.
extension DownloadRun {
    /// Most numbered names that are looked at.
    private static var mostNumbers: Int { 100 }

    /// Looks whether a file that bears the name which the address suggests is the finished download.
    ///
    /// In a batch that is run again this saves the answer that would otherwise give the name.
    ///
    /// - Returns: nil if it isn't: the server may give another name.
    mutating func finishedEarlier(_ path: String) async throws(DownloadError) -> DownloadReceipt? {
        guard engine.name != nil, [.verify, .trust].contains(engine.request.existing), exists(path) else { return nil }
        do throws(DownloadError) {
            return try await existingFile(at: path)
        } catch {
            guard error.code == .outputExists else { throw error }
            return nil
        }
    }

    /// Opens the download's files under the name that follows from the server's answer.
    mutating func settleByName(for resource: RemoteResource) async throws(DownloadError) -> DownloadReceipt? {
        let wanted = name(for: resource)
        guard let name = engine.name else { return try await settle(on: wanted, size: resource.size) }
        let path = name.change(to: wanted)
        do throws(DownloadError) {
            return try await settle(on: path, size: resource.size)
        } catch {
            guard error.code == .outputExists, engine.request.existing == .verify else { throw error }
            // In an earlier run the answers may have come in another order, and with it the numbers.
            for number in 1...Self.mostNumbers {
                let candidate = name.candidate(number)
                guard candidate != path else { continue }
                guard exists(candidate) else { break }
                guard let receipt = try await finishedEarlier(candidate) else { continue }
                name.settle(on: candidate)
                return receipt
            }
            throw error
        }
    }
}
