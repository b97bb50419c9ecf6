/// Where names and passwords come from when a request has none.
///
/// An entry goes only to the host that it names; the entry for all other hosts (`default`) only to the origin of the
/// request's address.
public enum NetrcUse: Hashable, Sendable {
    /// From nowhere.
    case never
    /// From `.netrc` in the home directory, if it is there. A mistake in it is told by a ``DownloadEvent/notice(_:)``
    /// with file and line, once for each ``Downloader``; what can be read of it counts.
    case home
    /// From this file. A mistake in it is an error of code `invalidRequest` with file and line; so is that it can't be
    /// read.
    case file(String)
}
