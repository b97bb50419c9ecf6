/// Something that must hold, and does not.
struct Finding: Error, CustomStringConvertible {
    /// What it is.
    let description: String

    /// Makes one.
    init(_ description: String) { self.description = description }

    /// Throws unless something holds.
    ///
    /// - Parameters:
    ///   - condition: what must hold.
    ///   - description: what it means if it does not.
    /// - Throws: a finding with that description.
    static func unless(_ condition: Bool, _ description: @autoclosure () -> String) throws(Finding) {
        if !condition { throw Finding(description()) }
    }
}
