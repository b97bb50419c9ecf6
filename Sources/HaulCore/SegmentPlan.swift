/// Whether a download is divided, and if not, why.
package enum SegmentPlan: Hashable, Sendable {
    /// Everything is on hand.
    case complete
    /// One connection, for a named reason.
    case single(SingleReason)
    /// Up to this many connections at once.
    case parallel(connections: Int)

    /// Why dividing can't help or can't be done.
    package enum SingleReason: Hashable, Sendable {
        /// The user allows one connection.
        case oneConnectionAllowed
        /// What is missing is too small to divide.
        case belowCutoff
        /// The server does not say how long the file is.
        case unknownSize
        /// The server answered a range with the whole file.
        case rangesIgnored
    }

    /// Decides for one resource.
    ///
    /// - Parameters:
    ///   - size: size of the file, nil if unknown.
    ///   - missing: bytes that are not on hand.
    ///   - acceptsRanges: whether a 206 was seen.
    ///   - policy: what the user allows.
    package init(size: Int64?, missing: Int64, acceptsRanges: Bool, policy: SplitPolicy) {
        guard let size else {
            self = .single(.unknownSize)
            return
        }
        if missing == 0 || size == 0 {
            self = .complete
        } else if !acceptsRanges {
            self = .single(.rangesIgnored)
        } else if policy.connections == 1 {
            self = .single(.oneConnectionAllowed)
        } else if missing <= 2 * policy.minimumSplit {
            self = .single(.belowCutoff)
        } else {
            let useful = missing / max(1, policy.minimumSplit)
            self = .parallel(connections: Int(min(Int64(policy.connections), useful)))
        }
    }
}

extension SegmentPlan {
    /// Whether several connections may be at work.
    var isParallel: Bool {
        if case .parallel = self { true } else { false }
    }
}

extension SegmentPlan: CustomStringConvertible {
    package var description: String {
        switch self {
        case .complete: "nothing is missing"
        case .parallel(let connections): "up to \(connections) connections"
        case .single(.oneConnectionAllowed): "one connection, as asked"
        case .single(.belowCutoff): "one connection: too little is missing to divide it"
        case .single(.unknownSize): "one connection: the server does not say how long the file is"
        case .single(.rangesIgnored): "one connection: the server does not serve ranges"
        }
    }
}
