#if DEBUG
    import Synchronization

    /// Records what happens to files, in order: what a crash explorer starts from.
    ///
    /// For tests; not in release builds. Like a `FaultPlan`, a recording concerns files whose path contains its mark, from
    /// `install()` on until `remove()`. A call is recorded when it has succeeded, so a cut between call and record is one
    /// before the call whose effect had not reached the disk.
    package final class OperationRecording: Sendable {
        private let mark: String
        private let recorded = Mutex<[FileOperation]>([])
        private static let installed = Mutex<[OperationRecording]>([])
        private static let isActive = Atomic(false)

        /// Makes an empty recording.
        ///
        /// - Parameter mark: what paths must contain to be concerned.
        package init(for mark: String) { self.mark = mark }

        /// What was recorded so far.
        package var operations: [FileOperation] { recorded.withLock { $0 } }

        /// Begins.
        package func install() {
            Self.installed.withLock {
                $0.append(self)
                Self.isActive.store(true, ordering: .releasing)
            }
        }

        /// Ends.
        package func remove() {
            Self.installed.withLock { recordings in
                recordings.removeAll { $0 === self }
                Self.isActive.store(!recordings.isEmpty, ordering: .releasing)
            }
        }

        /// Records an operation on `path`, made only if anybody records there.
        static func note(_ path: String, _ operation: () -> FileOperation) {
            guard isActive.load(ordering: .acquiring) else { return }
            let concerned = installed.withLock { $0.filter { path.contains($0.mark) } }
            guard !concerned.isEmpty else { return }
            let operation = operation()
            for recording in concerned { recording.recorded.withLock { $0.append(operation) } }
        }
    }
#endif
