/// What is to be done with the body of an answer.
package enum AnswerVerdict: Hashable, Sendable {
    /// Write it where the answer says.
    case use(AcceptedAnswer)
    /// Write nothing of it.
    case refuse(AnswerRefusal)
}
