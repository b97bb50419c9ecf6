#if os(Linux) && canImport(Glibc)
    import Glibc
    import HaulCore
    import HaulSystem
    import Testing

    /// A real full disk: a file system of little more than one mebibyte.
    ///
    /// Needs the right to mount.
    @Suite("Full disk", .enabled(if: geteuid() == 0))
    struct FullDiskTests {
        @Test("A disk that fills up keeps journal and data consistent, and goes on when there is room")
        func fillsUp() throws {
            let scratch = try ScratchDirectory()
            guard mount("tmpfs", scratch.path, "tmpfs", 0, "size=1200k") == 0 else { return }
            defer { umount2(scratch.path, CInt(MNT_DETACH)) }

            try scratch.write("ballast", [UInt8](repeating: 1, count: 500_000))
            let part = try PartFile.create(scratch("a.haul"))
            #expect(systemError { try part.preallocate(2 << 20) }?.isNoSpace == true)
            var journal = try JournalFile.create(
                scratch("a.haul-journal"), header: .tiny, records: [], sync: false)
            let writer = SegmentWriter(part: part, at: 0)
            var random = DiskRandom(seed: 2)
            let content = random.bytes(1 << 20)
            var position = 0
            var failure: SystemError?
            while failure == nil, position < content.count {
                do throws(SystemError) {
                    try writer.append(content.span.extracting(position..<(position + 16_384)).bytes)
                } catch {
                    failure = error
                }
                position = Int(writer.position)
            }
            #expect(failure?.isNoSpace == true)
            // The journal has room of its own.
            try journal.append(writer.takeFinished().map { .finished($0) })
            #expect(try JournalFile.read(scratch("a.haul-journal"))?.replay?.finished.isEmpty == false)

            unlink(scratch("ballast"))
            try writer.flush()
            while position < content.count {
                let end = min(content.count, position + 16_384)
                try writer.append(content.span.extracting(position..<end).bytes)
                position = end
            }
            try writer.flush()
            try journal.append(writer.takeFinished().map { .finished($0) })
            #expect(try part.read(ByteRange(0, 1 << 20)) == content)
            let replay = try #require(try JournalFile.read(scratch("a.haul-journal"))?.replay)
            #expect(replay.finished == [content.finished(at: 0)])
        }

        @Test("A file is made without a name only where its bytes are sure to be there with the name")
        func unnamed() throws {
            let scratch = try ScratchDirectory()
            guard mount("tmpfs", scratch.path, "tmpfs", 0, "size=1200k") == 0 else { return }
            defer { umount2(scratch.path, CInt(MNT_DETACH)) }
            _ = try PartFile.toBeNamed(scratch("a"), mode: 0o666)
            for name in ["lower", "upper", "work", "union"] { mkdir(scratch(name), 0o700) }
            // What is below is not known.
            let layers = "lowerdir=\(scratch("lower")),upperdir=\(scratch("upper")),workdir=\(scratch("work"))"
            guard mount("overlay", scratch("union"), "overlay", 0, layers) == 0 else { return }
            defer { umount2(scratch("union"), CInt(MNT_DETACH)) }
            let error = systemError { _ = try PartFile.toBeNamed(scratch("union/a"), mode: 0o666) }
            #expect(error?.isUnsupported == true)
        }
    }

    extension JournalHeader {
        fileprivate static var tiny: JournalHeader {
            let url = ResourceURL(
                scheme: "http", host: "localhost", port: 80, path: "/", query: nil, userInfo: nil, text: "")
            return JournalHeader(
                url: url, queryHash: nil, size: 1 << 20, entityTag: nil, lastModified: nil, mediaType: nil)
        }
    }
#endif
