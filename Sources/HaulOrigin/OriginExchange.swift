/// An answer under way: its script, and the number under which its progress is reported.
package struct OriginExchange: Sendable {
    /// Place of the request in the log.
    package let number: Int
    /// What to do.
    package let script: OriginScript
}
