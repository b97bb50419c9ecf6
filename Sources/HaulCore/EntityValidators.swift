/// What an answer says about which version of a resource it is (RFC 9110 §8.8).
package struct EntityValidators: Hashable, Sendable {
    /// The `ETag`, nil if there was none worth the name.
    package let entityTag: EntityTag?
    /// `Last-Modified` as it came.
    package let lastModified: String?
    /// `Last-Modified` in seconds since 1970, nil if there is none or it cannot be read.
    package let lastModifiedSeconds: Int64?
    /// `Date` of the answer in seconds since 1970; nil if unknown, as after a journal.
    package let dateSeconds: Int64?

    /// Makes validators from raw field values.
    package init(entityTag: String?, lastModified: String?, date: String? = nil) {
        self.entityTag = entityTag.flatMap { EntityTag($0) }
        let stamp = lastModified.map { FieldText.trimmed($0) } ?? ""
        self.lastModified = stamp.isEmpty ? nil : stamp
        lastModifiedSeconds = HTTPDate.seconds(stamp)
        dateSeconds = date.flatMap { HTTPDate.seconds($0) }
    }

    /// Reads the validators of an answer.
    package init(_ fields: HTTPFields) {
        self.init(entityTag: fields["ETag"], lastModified: fields["Last-Modified"], date: fields["Date"])
    }

    /// Whether there is nothing to compare.
    package var isEmpty: Bool { entityTag == nil && lastModified == nil }

    /// The `If-Range` value with which the server itself refuses to mix versions, nil if there is no strong validator.
    ///
    /// A strong tag, or without any tag a strong date (RFC 9110 §13.1.5). A weak tag must not be sent, and its presence
    /// forbids the date; a tag without quotes is not sent either, since servers take it for a broken date and answer
    /// with the whole file each time.
    package var ifRangeValue: String? {
        if let entityTag {
            return !entityTag.isWeak && entityTag.isQuoted && FieldText.isSendable(entityTag.text)
                ? entityTag.text : nil
        }
        guard let lastModified, isDateStrong, FieldText.isSendable(lastModified) else { return nil }
        return lastModified
    }

    /// Whether two versions can't have the same: a strong tag, or a strong date.
    package var tellVersionsApart: Bool { entityTag?.isWeak == false || isDateStrong }

    /// Whether nothing could have changed unseen within the second that `Last-Modified` names.
    ///
    /// The answer must be at least a minute younger than the change, which allows for two clocks (RFC 9110 §8.8.2.2).
    package var isDateStrong: Bool {
        guard let lastModifiedSeconds, let dateSeconds else { return false }
        let (age, overflow) = dateSeconds.subtractingReportingOverflow(lastModifiedSeconds)
        return !overflow && age >= 60
    }

    /// Why an answer with `other` is of another version than one with these, nil if nothing says so.
    ///
    /// A validator that either side lacks says nothing: a 206 to a request with `If-Range` may leave them out
    /// (RFC 9110 §15.3.7).
    ///
    /// | Tags | Verdict |
    /// | --- | --- |
    /// | both strong | they alone decide: nodes of a CDN often disagree about the date of the same bytes |
    /// | one or both weak, different | a change, unless both dates are there and equal: weak tags often name a node or a coding |
    /// | one or both weak, same | the date decides: they promise equal meaning only |
    /// | one or both missing | the date decides |
    package func contradicts(_ other: EntityValidators) -> String? {
        let dates = comparedDates(other)
        if let mine = entityTag, let theirs = other.entityTag {
            let reason = "entity tag was \(mine) and is \(theirs)"
            if !mine.isWeak, !theirs.isWeak { return mine.opaque == theirs.opaque ? nil : reason }
            if mine.opaque != theirs.opaque, dates != true { return reason }
        }
        guard dates == false, let lastModified, let theirs = other.lastModified else { return nil }
        return "Last-Modified was '\(lastModified)' and is '\(theirs)'"
    }

    /// Whether the two are known to name the same bytes: equal strong tags, or without any tags equal strong dates.
    package func provesSameBytes(as other: EntityValidators) -> Bool {
        if let mine = entityTag, let theirs = other.entityTag { return mine.isSameStrong(as: theirs) }
        guard entityTag == nil, other.entityTag == nil else { return false }
        return comparedDates(other) == true && isDateStrong && other.isDateStrong
    }

    /// Whether the two dates are the same; nil if one is missing.
    private func comparedDates(_ other: EntityValidators) -> Bool? {
        guard let lastModified, let theirs = other.lastModified else { return nil }
        if let mine = lastModifiedSeconds, let theirs = other.lastModifiedSeconds { return mine == theirs }
        return lastModified == theirs
    }
}
