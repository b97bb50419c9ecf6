#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The bytes of a file that exists nowhere: each is computed from its offset and a seed.
///
/// A terabyte needs no disk, and a byte that lands at a wrong offset shows. The content is a sequence of 64-bit words
/// in little-endian order; word `n` is a mix of the seed and `n`, and has nothing to do with its neighbours.
package struct OriginContent: Hashable, Sendable {
    /// What the content is computed from; other seeds give other bytes everywhere.
    package let seed: UInt64

    /// How the bytes follow from the seed.
    package let pattern: OriginPattern

    /// The seed after a full mix, so that neighbouring seeds share nothing.
    private let base: UInt64

    /// Makes the content that belongs to `seed`.
    package init(seed: UInt64, pattern: OriginPattern = .mixed) {
        self.seed = seed
        self.pattern = pattern
        var mixed = seed &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        self.base = mixed ^ (mixed >> 31)
    }

    /// The byte at `offset`.
    package func byte(at offset: Int64) -> UInt8 {
        var byte: UInt8 = 0
        withUnsafeMutableBytes(of: &byte) { fill($0, from: offset) }
        return byte
    }

    /// Writes the bytes from `offset` on into the whole of `buffer`.
    package func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int64) {
        switch pattern {
        case .mixed:
            mix(buffer, from: offset)
        case .uniform(let byte):
            buffer.initializeMemory(as: UInt8.self, repeating: byte)
        case .altered(let every, let seed):
            let other = OriginContent(seed: seed)
            var done = 0
            while done < buffer.count {
                let start = offset + Int64(done)
                let block = start / OriginPattern.block
                let count = Int(min(Int64(buffer.count - done), (block + 1) * OriginPattern.block - start))
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + count])
                (block % max(1, every) == 0 ? other : self).mix(part, from: start)
                done += count
            }
        }
    }

    private func mixedByte(at offset: Int64) -> UInt8 {
        let word = Self.mixed(base &+ UInt64(bitPattern: offset >> 3) &* Self.step)
        return UInt8(truncatingIfNeeded: word >> UInt64(8 * (offset & 7)))
    }

    private func mix(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int64) {
        guard let start = buffer.baseAddress else { return }
        let count = buffer.count
        // The bytes before the first whole word, one by one.
        var done = 0
        while done < count, (offset &+ Int64(done)) & 7 != 0 {
            start.storeBytes(of: mixedByte(at: offset &+ Int64(done)), toByteOffset: done, as: UInt8.self)
            done &+= 1
        }
        let words = (count &- done) >> 3
        var position = base &+ UInt64(bitPattern: (offset &+ Int64(done)) >> 3) &* Self.step
        if UInt(bitPattern: start + done) & 7 == 0 {
            let target = (start + done).assumingMemoryBound(to: UInt64.self)
            var index = 0
            while index < words {
                target[index] = Self.mixed(position).littleEndian
                position = position &+ Self.step
                index &+= 1
            }
        } else {
            var place = start + done
            for _ in 0..<words {
                place.storeBytes(of: Self.mixed(position).littleEndian, as: UInt64.self)
                position = position &+ Self.step
                place += 8
            }
        }
        done &+= words &* 8
        while done < count {
            start.storeBytes(of: mixedByte(at: offset &+ Int64(done)), toByteOffset: done, as: UInt8.self)
            done &+= 1
        }
    }

    /// The bytes in `range`, as an array.
    package func bytes(_ range: Range<Int64>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            fill(UnsafeMutableRawBufferPointer(buffer), from: range.lowerBound)
            count = range.count
        }
    }

    /// Offset of the first byte of `buffer` that is not the content's from `offset` on, nil if all are right.
    package func firstDifference(in buffer: UnsafeRawBufferPointer, at offset: Int64) -> Int64? {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 64) { expected in
            var done = 0
            while done < buffer.count {
                let part = UnsafeMutableRawBufferPointer(rebasing: expected[..<min(65_536, buffer.count - done)])
                fill(part, from: offset + Int64(done))
                let given = UnsafeRawBufferPointer(rebasing: buffer[done..<done + part.count])
                if !Self.areEqual(part, given) {
                    for index in 0..<part.count where part[index] != given[index] {
                        return offset + Int64(done + index)
                    }
                }
                done += part.count
            }
            return nil
        }
    }

    /// Distance between the words' inputs: odd, so that all 2⁶⁴ of them differ.
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// One multiplication, two shifts: cheap, and good enough to tell places apart.
    @inline(__always)
    private static func mixed(_ position: UInt64) -> UInt64 {
        let folded = (position ^ (position >> 32)) &* 0xD6E8_FEB8_6659_FD93
        return folded ^ (folded >> 29)
    }

    private static func areEqual(_ left: UnsafeMutableRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard let first = left.baseAddress, let second = right.baseAddress else { return left.count == right.count }
        return memcmp(first, second, left.count) == 0
    }
}
