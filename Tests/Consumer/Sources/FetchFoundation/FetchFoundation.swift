import Foundation
import Haul
import HaulFoundation

/// Fetches one file with the product `HaulFoundation`, over both networks: `FetchFoundation URL FILE OTHER-FILE`.
@main
enum FetchFoundation {
    static func main() async {
        guard CommandLine.arguments.count == 4, let url = URL(string: CommandLine.arguments[1]) else {
            fatalError("usage: FetchFoundation URL FILE OTHER-FILE")
        }
        let files = CommandLine.arguments[2...].map { URL(fileURLWithPath: $0) }
        for (downloader, file) in zip([Downloader(), .overURLSession()], files) {
            let download = downloader.start(from: url, to: file)
            let progress = download.makeProgress()
            do {
                let receipt = try await download.receipt
                print("\(receipt.bytes) bytes, \(receipt.fileURL.lastPathComponent), \(progress.isCancelled)")
            } catch {
                fatalError("\(error.code): \(error.message)")
            }
        }
    }
}
