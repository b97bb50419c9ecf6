public import Foundation
public import Haul

extension Download {
    /// Makes a `Progress` of this download, in bytes, which also steers it.
    ///
    /// `pause()`, `resume()` and `cancel()` of the progress, or of a parent that it was added to, are those of the
    /// download. It is indeterminate until the size is known; an empty file counts as one unit. Its `isPaused` says what
    /// was asked of the progress, `Download.state` what the download does. A download that ends as cancelled cancels it.
    /// Rate and time left are in its `userInfo` under `.throughputKey` and `.estimatedTimeRemainingKey`, the file under
    /// `.fileURLKey`.
    ///
    /// The progress keeps the download alive, and not the other way round: each call makes another one.
    ///
    /// - Returns: the progress, without a parent.
    public func makeProgress() -> Progress {
        let progress = Progress(parent: nil)
        progress.totalUnitCount = -1
        progress.kind = .file
        progress.setUserInfoObject(Progress.FileOperationKind.downloading, forKey: .fileOperationKindKey)
        progress.isPausable = true
        progress.isCancellable = true
        let follower = ProgressFollower(progress, of: self)
        progress.pausingHandler = { follower.download.pause() }
        progress.resumingHandler = { follower.download.resume() }
        progress.cancellationHandler = { follower.download.cancel() }
        return progress
    }
}
