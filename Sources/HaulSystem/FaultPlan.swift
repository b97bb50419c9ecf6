#if DEBUG
    import Synchronization

    /// Makes chosen calls fail or fall short, and records all of them.
    ///
    /// For tests; not in release builds.
    ///
    /// A plan concerns files whose path contains its mark, such as a test's own directory, so that tests can run side by
    /// side. It acts from `install()` on until `remove()`.
    package final class FaultPlan: Sendable {
        /// What happens to a call.
        package enum Fault: Hashable, Sendable {
            /// It fails with this error number and does nothing.
            case error(Int32)
            /// It moves at most this many bytes.
            case short(Int)
        }

        private struct Rule {
            let call: SystemCall
            var skip: Int
            var times: Int
            let fault: Fault
        }

        private struct State {
            var rules: [Rule] = []
            var trace: [SystemCall] = []
        }

        private let mark: String
        private let ending: String
        private let state = Mutex(State())
        private static let installed = Mutex<[FaultPlan]>([])
        private static let isActive = Atomic(false)

        /// Makes a plan without faults.
        ///
        /// - Parameters:
        ///   - mark: what paths must contain to be concerned.
        ///   - ending: what they must end in besides.
        package init(for mark: String, ending: String = "") {
            self.mark = mark
            self.ending = ending
        }

        /// Adds a fault.
        ///
        /// - Parameters:
        ///   - call: the call to disturb.
        ///   - nth: which of the calls still to come is the first to be disturbed, from 1.
        ///   - times: how many in a row.
        ///   - fault: what happens to them.
        package func disturb(_ call: SystemCall, nth: Int = 1, times: Int = 1, _ fault: Fault) {
            state.withLock { $0.rules.append(Rule(call: call, skip: nth - 1, times: times, fault: fault)) }
        }

        /// The calls that were made, in order.
        package var trace: [SystemCall] { state.withLock { $0.trace } }

        /// Number of calls of one kind.
        package func count(_ call: SystemCall) -> Int { trace.count { $0 == call } }

        /// Puts the plan into force.
        package func install() {
            Self.installed.withLock {
                $0.append(self)
                Self.isActive.store(true, ordering: .releasing)
            }
        }

        /// Ends the plan.
        package func remove() {
            Self.installed.withLock { plans in
                plans.removeAll { $0 === self }
                Self.isActive.store(!plans.isEmpty, ordering: .releasing)
            }
        }

        /// What is to happen to this call; nil if it goes on undisturbed.
        static func fault(_ call: SystemCall, _ path: String) -> Fault? {
            guard isActive.load(ordering: .acquiring) else { return nil }
            for plan in installed.withLock({ $0 }) where path.contains(plan.mark) && path.hasSuffix(plan.ending) {
                if let fault = plan.next(call) { return fault }
            }
            return nil
        }

        private func next(_ call: SystemCall) -> Fault? {
            state.withLock { state in
                state.trace.append(call)
                for index in state.rules.indices where state.rules[index].call == call {
                    if state.rules[index].skip > 0 {
                        state.rules[index].skip -= 1
                    } else if state.rules[index].times > 0 {
                        state.rules[index].times -= 1
                        return state.rules[index].fault
                    }
                }
                return nil
            }
        }
    }
#endif
