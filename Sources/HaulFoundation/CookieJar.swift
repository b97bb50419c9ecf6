import Foundation
import HaulCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The cookies that servers have set, common to all sessions of a transport.
struct CookieJar: Sendable {
    private let storage: HTTPCookieStorage?

    /// Makes a jar of a session's storage.
    init(_ storage: HTTPCookieStorage?) { self.storage = storage }

    /// Value of `Cookie` for a request: the request's own cookies and those that belong to its address.
    func text(for request: TransferRequest, at url: URL) -> String? {
        let stored = (storage?.cookies(for: url) ?? []).map { $0.name + "=" + $0.value }
        let cookies = request.fields.all("Cookie").filter { !$0.isEmpty } + stored
        return cookies.isEmpty ? nil : cookies.joined(separator: "; ")
    }
}
