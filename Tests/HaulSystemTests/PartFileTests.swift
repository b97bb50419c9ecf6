import HaulCore
import HaulSystem
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Partial file")
struct PartFileTests {
    private let scratch: ScratchDirectory

    init() throws { scratch = try ScratchDirectory() }

    @Test("Bytes go where they are sent, and come back")
    func readsWhatItWrites() throws {
        let part = try PartFile.create(scratch("a.haul"))
        try part.write(bytes(1, 2, 3).span.bytes, at: 10)
        #expect(try part.read(ByteRange(8, 20)) == [0, 0, 1, 2, 3])
        #expect(scratch.mode("a.haul") == 0o600)
        #expect(try PartFile.open(scratch("b.haul")) == nil)
    }

    @Test("A second opener is told so at once, and the lock ends with the first")
    func excludesOthers() throws {
        var first: PartFile? = try PartFile.create(scratch("a.haul"))
        #expect(first != nil)
        #expect(systemError { _ = try PartFile.open(scratch("a.haul")) }?.isLocked == true)
        #expect(systemError { _ = try PartFile.create(scratch("a.haul")) }?.isLocked == true)
        first = nil
        #expect(try PartFile.open(scratch("a.haul")) != nil)
    }

    @Test("Links, FIFOs, directories, shared and foreign files are refused and untouched")
    func refusesPlantedFiles() throws {
        try scratch.write("victim", [1, 2, 3])
        symlink(scratch("victim"), scratch("symbolic"))
        symlink(scratch("nowhere"), scratch("dangling"))
        link(scratch("victim"), scratch("hard"))
        mkfifo(scratch("fifo"), 0o600)
        mkdir(scratch("directory"), 0o700)
        try scratch.write("shared", [], mode: 0o620)
        var names = ["symbolic", "dangling", "hard", "fifo", "shared"]
        if geteuid() == 0 {
            try scratch.write("foreign", [])
            chown(scratch("foreign"), 12_345, 12_345)
            names.append("foreign")
        }
        for name in names {
            #expect(systemError { _ = try PartFile.create(scratch(name)) }?.kind == .refused, "\(name)")
            #expect(systemError { _ = try PartFile.open(scratch(name)) }?.kind == .refused, "\(name)")
        }
        #expect(systemError { _ = try PartFile.create(scratch("directory")) } != nil)
        #expect(try scratch.read("victim") == [1, 2, 3])
        #expect(!scratch.entries.contains("nowhere"))
    }

    @Test("More than the disk holds is refused before the first byte, with both numbers")
    func checksRoom() throws {
        let part = try PartFile.create(scratch("a.haul"))
        let error = systemError { try part.preallocate(1 << 60) }
        #expect(error?.isNoSpace == true)
        #expect(error?.message.contains("\(Int64(1) << 60) bytes are needed") == true)
        #expect(try part.size() == 0)
    }

    @Test("Preallocation sets the size and keeps what is there")
    func preallocates() throws {
        let part = try PartFile.create(scratch("a.haul"))
        try part.write(bytes(7).span.bytes, at: 5)
        try part.preallocate(1_000_000)
        #expect(try part.size() == 1_000_000)
        #expect(try part.read(ByteRange(5, 6)) == [7])
    }

    #if DEBUG
        @Test("Without fallocate it is ftruncate, without both it is nothing; only a full disk is an error")
        func allocationChain() throws {
            try withFaults(in: scratch) {
                $0.disturb(.fallocate, times: 2, .error(ENOTSUP))
                $0.disturb(.ftruncate, nth: 2, .error(EPERM))
                $0.disturb(.fallocate, .error(ENOSPC))
            } _: { plan in
                let part = try PartFile.create(scratch("a.haul"))
                try part.preallocate(1000)
                #expect(try part.size() == 1000)
                try part.preallocate(2000)
                #expect(try part.size() == 1000)
                #expect(systemError { try part.preallocate(3000) }?.isNoSpace == true)
                #expect(plan.count(.fallocate) == 3)
            }
        }

        @Test("Short and interrupted transfers go on, errors are told", arguments: [false, true])
        func disturbedTransfers(serialises: Bool) throws {
            var random = DiskRandom(seed: 1)
            let bytes = random.bytes(10_000)
            try withFaults(in: scratch) {
                $0.disturb(.pwrite, times: 3, .short(100))
                $0.disturb(.pwrite, times: 2, .error(EINTR))
                $0.disturb(.pread, times: 3, .short(7))
                $0.disturb(.pread, times: 2, .error(EINTR))
                $0.disturb(.open, .error(EINTR))
                $0.disturb(.fsync, .error(EINTR))
            } _: { plan in
                let part = try PartFile.create(scratch("a.haul"))
                part.serialisesWrites = serialises
                try part.write(bytes.span.bytes, at: 3)
                #expect(try part.read(ByteRange(3, 10_003)) == bytes)
                #expect(plan.count(.pwrite) == 6)
                try part.sync()
                for number in [ENOSPC, EIO, EDQUOT, EFBIG] {
                    plan.disturb(.pwrite, .error(number))
                    let error = systemError { try part.write([UInt8(1)].span.bytes, at: 0) }
                    #expect(error?.number == number)
                    #expect(error?.isNoSpace == (number != EIO))
                }
            }
        }

        @Test("A lock on a file that lost its name meanwhile is tried again")
        func raceWithOwner() throws {
            try withFaults(in: scratch) {
                $0.disturb(.lstat, .error(ENOENT))
            } _: { plan in
                _ = try PartFile.create(scratch("a.haul"))
                #expect(plan.count(.flock) == 2)
            }
        }

        @Test("File systems without locks go without")
        func noLocks() throws {
            try withFaults(in: scratch) {
                $0.disturb(.flock, .error(ENOLCK))
            } _: { _ in
                _ = try PartFile.create(scratch("a.haul"))
            }
        }
    #endif
}
