import HaulCore
import HaulOrigin

/// A connection of the in-memory transport: what stays between two requests of a slot.
struct ScriptedConnection: Sendable {
    /// Number that the responder gave it, counted from 1 for each host.
    let number: Int
    /// Whom it leads to.
    let origin: Origin
    /// Rate of the connection.
    var pace: OriginPace?
    /// What the origin still sends, nobody knows to whom.
    var leftovers: OriginPlayer?
    /// Whether it carried a request before.
    var isUsed = false
}
