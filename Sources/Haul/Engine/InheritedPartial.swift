package import HaulCore

/// What an earlier run left: a partial whose journal names at least one finished range.
package struct InheritedPartial: Hashable, Sendable {
    /// What the journal says about the resource.
    package let header: JournalHeader
    /// Finished ranges, ascending, within the partial's size; they may overlap.
    ///
    /// Not read back yet.
    package let finished: [FinishedRange]
    /// Why some of what was journaled does not count; nil if all of it does.
    package let notice: String?
}
