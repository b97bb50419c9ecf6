/// What waits for the disk when a file gets its final name.
package enum PublishSync: Hashable, Sendable {
    /// Nothing: a power cut may leave a name with other bytes.
    case nothing
    /// A copy, if one has to be made; the caller has prepared and synced the partial, and syncs the directory.
    case copies
    /// The bytes before the name, and the directory after it.
    case everything
}
