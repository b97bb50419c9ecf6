import Foundation
import Haul

/// Carries a download's snapshots into a `Progress`, as long as that lives: it is kept by the progress's handlers.
final class ProgressFollower: Sendable {
    /// The download that is followed.
    let download: Download
    private let task: Task<Void, Never>

    /// Begins to follow.
    ///
    /// The task holds neither of the two: either may be dropped while the download rests.
    init(_ progress: Progress, of download: Download) {
        self.download = download
        let snapshots = download.progress
        task = Task { [weak progress, weak download] in
            var last = DownloadProgress()
            for await snapshot in snapshots {
                guard let progress else { return }
                last = snapshot
                Self.show(snapshot, of: download, in: progress)
            }
            guard let progress, !Task.isCancelled else { return }
            Self.conclude(last, download, in: progress)
        }
    }

    deinit { task.cancel() }

    private static func show(_ snapshot: DownloadProgress, of download: Download?, in progress: Progress) {
        // First what the finished one must have: whoever sees the last unit looks for the rest.
        name(download, in: progress)
        if let total = snapshot.total { progress.totalUnitCount = max(total, 1) }
        // The last unit of an empty file comes with its end; that of others must not come before the file has its name.
        progress.completedUnitCount = snapshot.received
        progress.setUserInfoObject(Int(snapshot.bytesPerSecond), forKey: .throughputKey)
        progress.setUserInfoObject(
            snapshot.timeLeft.map { $0 / .seconds(1) as TimeInterval }, forKey: .estimatedTimeRemainingKey)
    }

    private static func name(_ download: Download?, in progress: Progress) {
        if let path = download?.path { progress.setUserInfoObject(URL(fileURLWithPath: path), forKey: .fileURLKey) }
    }

    private static func conclude(_ last: DownloadProgress, _ download: Download?, in progress: Progress) {
        // A short download may have had no name yet, or be over, at its last snapshot.
        name(download, in: progress)
        let state = download?.state
        if last.phase == .finished || state == .finished {
            progress.totalUnitCount = max(last.total ?? last.received, 1)
            progress.completedUnitCount = progress.totalUnitCount
        } else if state == .cancelled, !progress.isCancelled {
            progress.cancel()
        }
    }
}
