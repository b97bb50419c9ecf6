#if !canImport(Darwin)
    import Foundation

    /// Runs what it is given at once, on the thread that gives it.
    ///
    /// FoundationNetworking hands each piece of a body to this queue from libcurl's write callback, and copies what the
    /// queue has not come to: on a queue of its own, a receiver that is slower than the network would fill the memory.
    /// Run in place, a receiver that writes to a slow disk holds the callback, libcurl does not read, and TCP slows the
    /// sender down. All sessions of the process share that thread: nothing may wait there for something else.
    ///
    /// The superclass declares its subclasses unchecked; this one adds no state.
    final class DirectQueue: OperationQueue, @unchecked Sendable {
        override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    }
#endif
