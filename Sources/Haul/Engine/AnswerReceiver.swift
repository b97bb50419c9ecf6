import HaulCore

/// A receiver that judges heads, and that can take the next answer of a chain of redirects.
protocol AnswerReceiver: ResponseReceiver {
    /// Why the last answer was refused, nil if it was not.
    var refusal: AnswerRefusal? { get }

    /// Forgets a refused answer; says what the next one is judged against, and what it answers.
    func prepare(for expectation: AnswerExpectation, _ request: TransferRequest)
}
