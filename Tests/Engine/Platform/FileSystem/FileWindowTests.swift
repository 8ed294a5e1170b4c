#if os(Linux)
    import Glibc
    import ShaleBase
    import ShalePlatform
    import Testing

    /// Mapped windows, on tmpfs, which every Linux system has.
    ///
    /// The file system below the temporary directory may be one whose files are not mapped.
    @Suite struct FileWindowTests {
        private static let pageBytes = 4096

        private final class MappedTestFile {
            let path = "/dev/shm/shale-window-\(getpid())-\(UInt64.random(in: 0 ... .max))"
            let directory: any Directory
            let file: any WritableFile

            init(count: UInt64) throws {
                directory = try PosixFileSystem().openDirectory(path, create: true)
                file = try directory.create("f")
                try file.preallocate(count)
            }

            deinit {
                unsafe unlink(path + "/f")
                unsafe rmdir(path)
            }
        }

        @Test func storedBytesAreReadBackAndSyncedAndWrittenBytesAreSeen() throws {
            let mapped = try MappedTestFile(count: 1 << 20)
            let window = try #require(mapped.file.window(offset: 64 << 10, count: 64 << 10))
            #expect(window.offset == 64 << 10 && window.end == 128 << 10)
            window.bytes.store(0x0102_0304 as UInt32, at: 100)
            try window.confirm(100, 4)
            try mapped.file.sync()
            try [9, 9].withBytes { (bytes) throws(IOFailure) in try mapped.file.write(bytes, at: 65 << 10) }
            #expect(window.bytes[1 << 10] == 9)
            let target = OwnedBytes(count: 4)
            #expect(try mapped.directory.open("f").read(into: target.mutable, at: (64 << 10) + 100) == 4)
            #expect(target.bytes.array() == [4, 3, 2, 1])
        }

        @Test func aStoreThatTheSystemCanNotTakeIsAnErrorNotTheEndOfTheProcess() throws {
            let mapped = try MappedTestFile(count: 1 << 20)
            let window = try #require(mapped.file.window(offset: 0, count: 1 << 20))
            window.bytes.store(1 as UInt64, at: 0)
            try window.confirm(0, 8)
            #expect(unsafe truncate(mapped.path + "/f", off_t(FileWindowTests.pageBytes)) == 0)
            window.bytes.store(2 as UInt64, at: 8)
            try window.confirm(8, 8)
            window.bytes.store(3 as UInt64, at: 10 * FileWindowTests.pageBytes)
            let failure = #expect(throws: IOFailure.self) { try window.confirm(10 * FileWindowTests.pageBytes, 8) }
            #expect(failure?.operation == "write" && failure?.errorNumber == EIO)
            #expect(throws: IOFailure.self) { try window.confirm(0, 8) }
        }

        @Test func aFailedWindowSaysNothingOfTheNextOne() throws {
            let mapped = try MappedTestFile(count: 1 << 20)
            do {
                let window = try #require(mapped.file.window(offset: 0, count: 1 << 20))
                #expect(unsafe truncate(mapped.path + "/f", 0) == 0)
                window.bytes.store(1 as UInt64, at: 0)
                #expect(throws: IOFailure.self) { try window.confirm(0, 8) }
            }
            try mapped.file.preallocate(1 << 20)
            let window = try #require(mapped.file.window(offset: 0, count: 1 << 20))
            window.bytes.store(1 as UInt64, at: 0)
            try window.confirm(0, 8)
        }

        /// A thread that blocks the signal can't receive it for a failed store; the kernel would kill the process.
        @Test func aThreadThatBlocksTheSignalGetsNoWindow() throws {
            let mapped = try MappedTestFile(count: 1 << 20)
            let isMapped = Locked<[Bool]>([])
            let file = mapped.file
            let thread = try WorkerThread.start(name: "test-blocked") {
                var signals = sigset_t()
                unsafe sigemptyset(&signals)
                unsafe sigaddset(&signals, SIGBUS)
                for action in [SIG_BLOCK, SIG_UNBLOCK] {
                    unsafe pthread_sigmask(action, &signals, nil)
                    let window = file.window(offset: 0, count: 1 << 20)
                    isMapped.withLock { $0.append(window != nil) }
                }
            }
            thread.join()
            #expect(isMapped.withLock { $0 } == [false, true])
        }

        @Test func spaceThatWasNeverReservedIsNoWindow() throws {
            let mapped = try MappedTestFile(count: 64 << 10)
            try mapped.file.truncate(to: 1 << 20)
            #expect(mapped.file.window(offset: 64 << 10, count: 64 << 10) == nil)
            #expect(mapped.file.window(offset: 0, count: 64 << 10) != nil)
        }

        @Test func aRangeThatIsNotThereIsNoWindow() throws {
            let mapped = try MappedTestFile(count: 64 << 10)
            #expect(mapped.file.window(offset: 1 << 20, count: 64 << 10) == nil)
        }
    }
#endif
