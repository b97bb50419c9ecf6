import Haul

/// Fetches one file with the product `Haul` alone: `Fetch URL FILE`.
@main
enum Fetch {
    static func main() async {
        guard CommandLine.arguments.count == 3 else { fatalError("usage: Fetch URL FILE") }
        var options = DownloadOptions()
        options.connections = 4
        let request = DownloadRequest(CommandLine.arguments[1], to: CommandLine.arguments[2])
        let download = Downloader().start(request, options: options)
        var snapshots = 0
        for await progress in download.progress where progress.received > 0 { snapshots += 1 }
        do {
            let receipt = try await download.receipt
            print("\(receipt.bytes) bytes, \(receipt.connections) connections, seen: \(snapshots > 0)")
        } catch {
            fatalError("\(error.code): \(error.message)")
        }
    }
}
