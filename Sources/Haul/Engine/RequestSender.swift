import HaulCore
import Synchronization

/// Sends requests of one download, and follows redirects hop by hop.
///
/// Each hop carries only what belongs to its own origin, and is judged like the first.
struct RequestSender<Network: Transport>: Sendable {
    /// How a request ended.
    struct Sent: Sendable {
        /// What the transport said about the last hop.
        var outcome: Result<TransferSummary, TransportError>
        /// The address that answered last.
        var url: ResourceURL
        /// Why a redirect was not followed, nil if none was refused.
        var redirectRefused: String?
    }

    /// What a request asks for.
    struct Question: Sendable {
        /// Bytes asked for, nil for the whole file.
        var range: ByteRange?
        /// What the answer is judged against.
        var expectation: AnswerExpectation
        /// The origin that gave the known validators: to others they mean nothing.
        var validatorOrigin: Origin?
        /// Where to ask.
        var url: ResourceURL
        /// Whether an idle connection must not carry it.
        var needsFreshConnection: Bool
        /// Whether a strong validator is sent along.
        var usesIfRange: Bool
    }

    let network: Network
    var scope: CredentialScope
    let redirects: RedirectPolicy
    let profile: ConnectionProfile
    /// Requests sent so far.
    let requests: Counter
    /// The part of the resource that is wanted: questions and answers count from its first byte.
    var slice = ResourceSlice.whole

    /// Sends one request and the ones that its redirects ask for.
    func send(_ question: Question, on slot: Slot, to receiver: some AnswerReceiver) async -> Sent {
        var url = question.url
        var hops = 0
        while true {
            let request = request(question, to: url)
            receiver.prepare(for: expectation(of: question, at: url), request)
            requests.add(1)
            let outcome: Result<TransferSummary, TransportError>
            do throws(TransportError) {
                outcome = .success(try await network.send(request, on: slot, to: receiver))
            } catch {
                outcome = .failure(error)
            }
            guard case .redirect(let location) = receiver.refusal else {
                return Sent(outcome: outcome, url: url, redirectRefused: nil)
            }
            do throws(InvalidURL) {
                let target = try network.parse(location, relativeTo: url)
                if case .refuse(let reason) = redirects.judge(from: url, to: target, hops: hops) {
                    return Sent(outcome: outcome, url: url, redirectRefused: reason)
                }
                hops += 1
                url = target
            } catch {
                return Sent(outcome: outcome, url: url, redirectRefused: "the redirect leads nowhere: \(error.reason)")
            }
        }
    }

    private func expectation(of question: Question, at url: ResourceURL) -> AnswerExpectation {
        var expectation = question.expectation
        if url.origin != question.validatorOrigin { expectation.comparesValidators = false }
        return slice.inWhole(expectation)
    }

    private func request(_ question: Question, to url: ResourceURL) -> TransferRequest {
        var fields = scope.fields(for: url.origin, over: usualFields)
        if let range = question.range.flatMap({ ContentRange.request(slice.inWhole($0)) }) {
            fields.append("Range", range)
            if question.usesIfRange, url.origin == question.validatorOrigin, question.expectation.comparesValidators,
                let validator = question.expectation.validators?.ifRangeValue
            {
                fields.append("If-Range", validator)
            }
        }
        return TransferRequest(
            url: url, fields: fields, credentials: scope.credentials(for: url.origin) ?? url.userInfo,
            needsFreshConnection: question.needsFreshConnection, profile: profile(for: url.origin))
    }

    /// Options for a request to `origin`: a netrc entry for every host was not meant for those that redirects name.
    private func profile(for origin: Origin) -> ConnectionProfile {
        guard profile.options.netrcHasDefault, origin != scope.origin, !scope.sendsEverywhere else { return profile }
        var connection = profile.options
        connection.netrc = .never
        return ConnectionProfile(connection)
    }
}

/// What every request says unless the user says otherwise.
///
/// Ranges count the bytes of the stored form; any coding on the way would shift them.
private let usualFields = HTTPFields([HTTPField("Accept", "*/*"), HTTPField("Accept-Encoding", "identity")])
