import HaulCore

/// A receiver that judges heads, and that can take the next answer of a chain of redirects.
protocol AnswerReceiver: ResponseReceiver {
    /// Why the last answer was refused, nil if it was not.
    var refusal: AnswerRefusal? { get }

    /// Forgets a refused answer and says what the next one is judged against.
    func prepare(for expectation: AnswerExpectation)
}
