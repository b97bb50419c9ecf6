/// Where names and passwords come from when a request has none.
///
/// An entry goes only to the host that it names; the entry for all other hosts (`default`) only to the origin of the
/// request's address.
public enum NetrcUse: Hashable, Sendable {
    /// From nowhere.
    case never
    /// From `.netrc` in the home directory, if it is there.
    case home
    /// From this file.
    case file(String)
}
