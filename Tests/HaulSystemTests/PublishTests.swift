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

@Suite("Publishing")
struct PublishTests {
    private let scratch: ScratchDirectory
    private let content: [UInt8]

    init() throws {
        scratch = try ScratchDirectory()
        var random = DiskRandom(seed: 5)
        content = random.bytes(3_000_000)
    }

    private func part(in directory: ScratchDirectory? = nil) throws -> PartFile {
        let part = try PartFile.create((directory ?? scratch)("a.haul"))
        try part.write(content.span.bytes, at: 0)
        return part
    }

    private func publish(_ part: PartFile, time: Int64? = nil, replacing: Bool = false) throws {
        try part.publish(as: scratch("a"), modificationTime: time, replacing: replacing, sync: true)
    }

    @Test("The file gets its name, mode and time", arguments: [1_000_000_000, 0, -86_400] as [Int64])
    func publishes(time: Int64) throws {
        try publish(part(), time: time)
        #expect(scratch.entries == ["a"])
        #expect(try scratch.read("a") == content)
        let mask = umask(0)
        umask(mask)
        #expect(scratch.mode("a") == 0o666 & ~UInt32(mask))
        let facts = try #require(try FileFacts.of(scratch("a")))
        #expect(facts.modificationTime == time)
        #expect(facts.size == Int64(content.count))
        #expect(facts.isRegular)
    }

    @Test("A partial that is to be named is seen by nobody before, and is gone if it is not published")
    func toBeNamed() throws {
        do {
            let part = try PartFile.toBeNamed(scratch("a"), mode: 0o640)
            try part.write(content.span.bytes, at: 0)
            #expect(scratch.entries.isEmpty)
            part.unlinkIfNamed()
            try publish(part, time: 1_000_000_000)
        }
        #expect(scratch.entries == ["a"])
        #expect(try scratch.read("a") == content)
        let mask = umask(0)
        umask(mask)
        #expect(scratch.mode("a") == 0o640 & ~UInt32(mask))
        #expect(try FileFacts.of(scratch("a"))?.modificationTime == 1_000_000_000)
        do {
            let part = try PartFile.toBeNamed(scratch("a"), mode: 0o666)
            #expect(systemError { try publish(part) }?.isExists == true)
            part.unlinkIfNamed()
        }
        #expect(scratch.entries == ["a"])
        #expect(try scratch.read("a") == content)
    }

    @Test("Nothing is replaced unasked, be it file, link or directory")
    func doesNotClobber() throws {
        let part = try part()
        try scratch.write("a", [1])
        #expect(systemError { try publish(part) }?.isExists == true)
        #expect(try scratch.read("a") == [1])
        unlink(scratch("a"))
        symlink(scratch("nowhere"), scratch("a"))
        #expect(systemError { try publish(part) }?.isExists == true)
        unlink(scratch("a"))
        mkdir(scratch("a"), 0o700)
        #expect(systemError { try publish(part) }?.isExists == true)
        #expect(systemError { try publish(part, replacing: true) }?.isExists == true)
        rmdir(scratch("a"))
        try publish(part)
        #expect(try scratch.read("a") == content)
    }

    @Test("Asked to replace, it replaces a file, and a link rather than what that leads to")
    func replaces() throws {
        try scratch.write("a", [1])
        try publish(part(), replacing: true)
        #expect(try scratch.read("a") == content)
        try scratch.write("victim", [1])
        unlink(scratch("a"))
        symlink(scratch("victim"), scratch("a"))
        try publish(part(), replacing: true)
        #expect(try scratch.read("a") == content)
        #expect(try scratch.read("victim") == [1])
    }

    @Test("A partial that lost its name is not published")
    func lostName() throws {
        let part = try part()
        unlink(scratch("a.haul"))
        try scratch.write("a.haul", [9])
        #expect(systemError { try publish(part) }?.isNotFound == true)
        #expect(scratch.entries == ["a.haul"])
    }

    @Test("Across file systems it is copied beside the target first")
    func acrossFileSystems() throws {
        guard access("/dev/shm", W_OK) == 0, let other = try? ScratchDirectory(under: "/dev/shm") else { return }
        let part = try part(in: other)
        try scratch.write("a", [1])
        #expect(systemError { try publish(part) }?.isExists == true)
        #expect(scratch.entries == ["a"])
        try publish(part, time: 1_000_000_000, replacing: true)
        #expect(try scratch.read("a") == content)
        #expect(try FileFacts.of(scratch("a"))?.modificationTime == 1_000_000_000)
        #expect(scratch.entries == ["a"])
        #expect(other.entries.isEmpty)
    }

    #if DEBUG
        @Test("The order is mode and time, data, name, directory")
        func order() throws {
            let part = try part()
            try withFaults(in: scratch) { _ in
            } _: { plan in
                try publish(part, time: 1)
                let steps: Set<SystemCall> = [.fchmod, .futimens, .fdatasync, .renameat2, .rename, .link, .fsync]
                #expect(plan.trace.filter(steps.contains) == [.fchmod, .futimens, .fsync, .renameat2, .fsync])
            }
        }

        @Test("Without renameat2, and without links too, nothing is replaced either", arguments: [false, true])
        func fallBacks(withoutLinks: Bool) throws {
            let part = try part()
            try scratch.write("a", [1])
            try withFaults(in: scratch) {
                $0.disturb(.renameat2, times: 9, .error(EINVAL))
                if withoutLinks { $0.disturb(.link, times: 9, .error(EPERM)) }
            } _: { _ in
                #expect(systemError { try publish(part) }?.isExists == true)
                #expect(try scratch.read("a") == [1])
                unlink(scratch("a"))
                try publish(part)
            }
            #expect(scratch.entries == ["a"])
            #expect(try scratch.read("a") == content)
        }

        @Test(
            "Whatever fails, the partial is left and nothing bears the name",
            arguments: [SystemCall.fchmod, .futimens, .fsync, .renameat2], [EIO, ENOSPC])
        func failures(call: SystemCall, number: Int32) throws {
            let part = try part()
            try withFaults(in: scratch) {
                $0.disturb(call, .error(number))
            } _: { _ in
                #expect(systemError { try publish(part, time: 1) }?.number == number)
                #expect(scratch.entries == ["a.haul"])
                try publish(part, time: 1)
            }
            #expect(scratch.entries == ["a"])
        }

        @Test("A copy that fails leaves no trace", arguments: [SystemCall.pwrite, .fsync, .renameat2])
        func failedCopy(call: SystemCall) throws {
            let part = try part()
            try withFaults(in: scratch) {
                $0.disturb(.renameat2, .error(EXDEV))
                $0.disturb(call, nth: call == .fsync ? 2 : 1, .error(EIO))
            } _: { _ in
                #expect(systemError { try publish(part) }?.number == EIO)
                #expect(scratch.entries == ["a.haul"])
                try publish(part)
            }
            #expect(try scratch.read("a") == content)
        }

        @Test("Directories that cannot be synced are no error, unless the disk fails")
        func directorySync() throws {
            try withFaults(in: scratch) {
                // The data's syncs are undisturbed: the directory's are the second and, of the others, the third.
                $0.disturb(.fsync, nth: 2, .error(EINVAL))
                $0.disturb(.fsync, nth: 3, .error(EIO))
            } _: { _ in
                try publish(part())
                #expect(systemError { try publish(part(), replacing: true) }?.number == EIO)
            }
        }
    #endif

    @Test("Facts tell files, directories and nothing apart")
    func facts() throws {
        try scratch.write("file", [1, 2])
        symlink(scratch("file"), scratch("link"))
        #expect(try FileFacts.of(scratch("nothing")) == nil)
        #expect(try FileFacts.of(scratch("file/below")) == nil)
        #expect(try FileFacts.of(scratch.path)?.isDirectory == true)
        #expect(try FileFacts.of(scratch("link"))?.isRegular == false)
        #expect(try FileFacts.following(scratch("link"))?.size == 2)
        try FileFacts.checkDirectory(scratch.path)
        #expect(systemError { try FileFacts.checkDirectory(scratch("nothing")) }?.isNotFound == true)
        #expect(systemError { try FileFacts.checkDirectory(scratch("file")) } != nil)
        #expect(try FileFacts.read(scratch("file"), ByteRange(1, 10)) == [2])
    }
}
