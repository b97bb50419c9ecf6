/// Which redirects are followed (RFC 9110 §15.4).
package struct RedirectPolicy: Hashable, Sendable {
    /// What becomes of one redirect.
    package enum Verdict: Hashable, Sendable {
        /// Ask the new address.
        case follow
        /// Stop here; the reason is for people.
        case refuse(reason: String)
    }

    /// Redirects that one request may go through; circles end here too.
    package var limit: Int

    /// Makes a policy; 20 redirects are what wget and browsers allow.
    package init(limit: Int = 20) { self.limit = max(0, limit) }

    /// Judges a redirect from `current` to `target`, when `hops` have been followed already.
    ///
    /// The transport's parser has seen to it that both are http or https. An encrypted request never goes on in the
    /// clear: whoever sits on the wire could then choose the bytes.
    package func judge(from current: ResourceURL, to target: ResourceURL, hops: Int) -> Verdict {
        if hops >= limit {
            let times = limit == 1 ? "once" : "\(limit) times"
            return .refuse(
                reason: limit == 0
                    ? "redirected to \(target.redacted), and no redirects are allowed"
                    : "redirected more than \(times): the addresses may lead in a circle")
        }
        if current.isSecure, !target.isSecure {
            return .refuse(reason: "redirected from https to \(target.redacted), which is not encrypted")
        }
        return .follow
    }
}
