/// What is known before an answer comes: what it is judged against.
package struct AnswerExpectation: Hashable, Sendable {
    /// What the `Range` field asked for, ending at `Int64.max` if open-ended; nil if none was sent.
    package var requested: ByteRange?
    /// Size of the whole file, nil at the first answer.
    package var size: Int64?
    /// Validators of the version that is being fetched, nil at the first answer.
    package var validators: EntityValidators?
    /// False where entity tags and dates count for nothing: another host, or a digest that decides instead.
    package var comparesValidators: Bool
    /// Media type of the file, nil at the first answer: a page of HTML in its place is an error page.
    package var mediaType: String?
    /// The content coding that the file is known to be stored in, nil for none.
    ///
    /// Some servers label `.tar.gz` with a coding whatever the request says. A coded body is refused unless it is named
    /// here: who wants the bytes as they are sent judges the same head again with the coding that was refused.
    package var coding: String?

    /// Makes an expectation; without arguments that of a first answer to a request without `Range`.
    package init(
        requested: ByteRange? = nil, size: Int64? = nil, validators: EntityValidators? = nil,
        comparesValidators: Bool = true, mediaType: String? = nil, coding: String? = nil
    ) {
        self.requested = requested
        self.size = size
        self.validators = validators
        self.comparesValidators = comparesValidators
        self.mediaType = mediaType
        self.coding = coding
    }
}
