/// Memory with one owner, page-aligned where it is large.
///
/// Unchecked, because pointers are not `Sendable`: the pointer leaves this value only as long as a call lasts, and the
/// value itself cannot be copied, so whoever has it is alone with the memory.
@safe struct AlignedBlock: ~Copyable, @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer

    /// Allocates memory without touching it.
    ///
    /// - Parameter count: number of bytes.
    init(count: Int) {
        // What is aligned to pages leaves gaps that each small file would tear anew.
        unsafe memory = .allocate(byteCount: count, alignment: count < 1 << 17 ? 16 : 4096)
    }

    deinit { unsafe memory.deallocate() }

    /// Number of bytes.
    var count: Int { unsafe memory.count }

    /// The first `count` bytes; valid as long as this value is.
    func prefix(_ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: memory[..<count])
    }

    /// All bytes from `index` on, to be written; valid as long as this value is.
    func suffix(from index: Int) -> UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(rebasing: memory[index...])
    }
}
