/// When and how a file becomes another one.
package struct OriginChange: Hashable, Sendable {
    /// What brings the change about.
    package enum Trigger: Hashable, Sendable {
        /// The first requests get the old file, those after them the new one.
        case requests(Int)
        /// Once that many bytes of bodies have gone out, answers are of the new file.
        case bytes(Int64)
        /// Every other connection, from the second on, reaches a node that has the new file.
        case otherNode
    }

    /// What brings the change about.
    package var trigger: Trigger
    /// Whether `If-Range` with the old tag gets a 200 with the new file, as it should.
    package var heedsIfRange: Bool
    /// Whether tag and date stay as they were: only content can tell.
    package var silently: Bool
    /// By how much the new file is longer.
    package var sizeDelta: Int64
    /// Which part of the blocks of 64 KiB is new: one in that many; nil for all bytes.
    package var alters: Int64?

    /// Makes a change.
    package init(
        _ trigger: Trigger, heedsIfRange: Bool = true, silently: Bool = false, sizeDelta: Int64 = 0,
        alters: Int64? = nil
    ) {
        self.trigger = trigger
        self.heedsIfRange = heedsIfRange
        self.silently = silently
        self.sizeDelta = sizeDelta
        self.alters = alters
    }

    /// The file that `resource` becomes.
    ///
    /// Its seed, or that of its new blocks, is the old one plus 1000, its tag is `"changed"` and its date a day later.
    package func changed(_ resource: OriginResource) -> OriginResource {
        var changed = resource
        if let alters {
            changed.pattern = .altered(every: alters, seed: resource.seed + 1000)
        } else {
            changed.seed += 1000
        }
        changed.size = max(0, resource.size + sizeDelta)
        if !silently {
            if resource.etag != nil { changed.etag = "\"changed\"" }
            changed.lastModified = resource.lastModified.map { $0 + 86_400 }
        }
        return changed
    }
}
