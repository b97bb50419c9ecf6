import HaulCore
import HaulSystem

/// Options, and what follows from them alone: looked into once for all downloads of a batch.
final class PreparedOptions: Sendable {
    /// The options.
    let options: DownloadOptions
    /// Trust, time-outs and route of every request.
    let profile: ConnectionProfile
    /// What the netrc file is like, nil if none is used; or why it can't be.
    let netrc: Result<NetrcFile?, DownloadError>
    /// Why nothing can be fetched with them.
    let problem: DownloadError?

    /// Looks into options.
    ///
    /// - Parameters:
    ///   - options: the options.
    ///   - choice: the network that has to carry them out.
    init(_ options: DownloadOptions, over choice: NetworkChoice) {
        self.options = options
        var connection = ConnectionOptions(options)
        let found = Result { () throws(DownloadError) in try options.netrcFile() }
        if case .success(let file?) = found { connection.netrcHasDefault = file.hasDefault }
        netrc = found
        profile = ConnectionProfile(connection)
        do throws(DownloadError) {
            try options.check(over: choice)
            problem = nil
        } catch {
            problem = error
        }
    }
}
