import HaulCore
import HaulOrigin

/// One host of the in-memory network.
struct ScriptedHost: Sendable {
    /// Decides what it answers.
    var responder: OriginResponder
    /// Rate of the whole host.
    var totalPace: OriginPace?

    /// Makes a host.
    init(_ configuration: OriginConfiguration) {
        responder = OriginResponder(configuration)
        totalPace = configuration.totalRate.map { OriginPace(rate: $0, burst: ScriptedTransport.burst) }
    }
}
