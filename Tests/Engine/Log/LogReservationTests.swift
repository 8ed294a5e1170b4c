#if os(Linux)
    import ShaleBase
    import ShaleLog
    import ShalePlatform
    import Synchronization
    import TestSupport
    import Testing

    /// Reserving space ahead of a log changes no byte that is appended meanwhile, even on a
    /// file system that can't reserve.
    @Suite(.serialized) struct LogReservationTests {
        /// ext4 without extents, as the driver mounts ext2 and ext3, has the magic number of ext4 but no `fallocate`.
        /// The emulation of the C library writes zeros.
        @Test(.enabled(if: LoopMount.isPossible), arguments: [true, false])
        func recordsStayOnAFileSystemThatCanNotReserve(isMapped: Bool) throws {
            let mount = try #require(LoopMount(ext4Features: "^extents,^64bit"))
            let directory = try PosixFileSystem().openDirectory(mount.path + "/wal", create: true)
            for _ in 0..<4 { try fillBesideReservations(directory, isMapped: isMapped) }
            withExtendedLifetime(mount) {}
        }

        @Test(arguments: [true, false]) func recordsStayOnTheFileSystemOfTheTests(isMapped: Bool) throws {
            let files = try PosixFileSystem().openDirectory("/dev/shm", create: false)
            let name = "shale-reservation-\(UInt64.random(in: 0 ... .max))"
            let directory = try files.openDirectory(name, create: true)
            defer { #expect(throws: Never.self) { try files.removeDirectory(name) } }
            try fillBesideReservations(directory, isMapped: isMapped)
        }

        /// Appends while another thread reserves slightly ahead of the end whenever that has moved, then reads
        /// everything back.
        private func fillBesideReservations(_ directory: any Directory, isMapped: Bool) throws {
            let log = try LogWriter(
                directory: directory, name: "log", number: 7, kind: .wal, previous: .none, preallocate: 1 << 20,
                isMapped: isMapped)
            defer { #expect(throws: Never.self) { try directory.remove("log") } }
            let lock = Lock()
            let isDone = Atomic<Bool>(false)
            let reserver = try WorkerThread.start(name: "test-reserve") {
                var reserved: UInt64 = 0
                while !isDone.load(ordering: .relaxed) {
                    let size = (lock.withLock { log.endOffset } + (2 << 20)) & ~4095
                    // The lock is not fair: a thread that takes it without pause keeps the appends waiting.
                    guard size > reserved else {
                        yieldProcessor()
                        continue
                    }
                    do {
                        try log.reserveAhead(upTo: size, all: true, under: lock)
                        reserved = size
                    } catch {
                        Issue.record("\(error)")
                    }
                }
            }
            let record = OwnedBytes([UInt8](repeating: 0xAB, count: 1000))
            let count = 10_000
            for _ in 0..<count { try lock.withLock { try log.append(record.bytes) } }
            isDone.store(true, ordering: .relaxed)
            reserver.join()
            try log.close(truncating: true)
            let file = try directory.open("log")
            defer { file.close() }
            let reader = try LogReader(file: file, path: "log", number: 7, kind: .wal)
            var found = 0
            _ = try reader.forEach { _ in found += 1 }
            #expect(found == count)
        }
    }
#endif
