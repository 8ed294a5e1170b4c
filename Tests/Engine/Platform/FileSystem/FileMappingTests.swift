#if os(Linux)
    import Glibc
    import ShaleBase
    import ShalePlatform
    import Testing

    /// Read-only mappings of files.
    @Suite struct FileMappingTests {
        private static let pageBytes = 4096

        private final class TestFile {
            let path = "/dev/shm/shale-mapping-\(getpid())-\(UInt64.random(in: 0 ... .max))"
            let directory: any Directory

            init(_ content: [UInt8]) throws {
                directory = try PosixFileSystem().openDirectory(path, create: true)
                let file = try directory.create("f")
                try content.withBytes { (bytes) throws(IOFailure) in try file.write(bytes, at: 0) }
                try file.close()
            }

            func truncate(to size: Int) { #expect(unsafe Glibc.truncate(path + "/f", off_t(size)) == 0) }

            deinit {
                unsafe unlink(path + "/f")
                unsafe rmdir(path)
            }
        }

        private static func copy(_ mapping: any FileMapping, _ count: Int, at offset: UInt64) -> [UInt8]? {
            let target = OwnedBytes(count: count)
            return mapping.copy(into: target.mutable, at: offset) ? target.bytes.array() : nil
        }

        @Test func bytesAreCopiedAfterTheFileIsClosed() throws {
            let content = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
            let test = try TestFile(content)
            let file = try test.directory.open("f")
            let mapping = try #require(file.mapping())
            file.close()
            for (offset, count) in [(0, 1), (4090, 20), (9_990, 10), (10_000, 0)] {
                let copy = Self.copy(mapping, count, at: UInt64(offset))
                #expect(copy == Array(content[offset..<(offset + count)]))
            }
        }

        @Test func bytesBehindTheEndAreMissing() throws {
            let test = try TestFile([UInt8](repeating: 1, count: 5000))
            let mapping = try #require(test.directory.open("f").mapping())
            #expect(Self.copy(mapping, 2, at: 4999) == nil)
            #expect(Self.copy(mapping, 1, at: .max) == nil)
        }

        @Test func anEmptyFileHasNoMapping() throws {
            let test = try TestFile([])
            #expect(try test.directory.open("f").mapping() == nil)
        }

        @Test func aFileThatWasCutEndsTheUseOfItsMappingNotTheProcess() throws {
            let test = try TestFile([UInt8](repeating: 1, count: 10 * Self.pageBytes))
            let file = try test.directory.open("f")
            let mapping = try #require(file.mapping())
            test.truncate(to: Self.pageBytes)
            #expect(Self.copy(mapping, 8, at: 0) == [UInt8](repeating: 1, count: 8))
            #expect(Self.copy(mapping, 8, at: UInt64(5 * Self.pageBytes)) == nil)
            // Bytes that are there are not trusted either.
            #expect(Self.copy(mapping, 8, at: 0) == nil)
            // The next mapping is as good as new.
            #expect(Self.copy(try #require(file.mapping()), 8, at: 0) == [UInt8](repeating: 1, count: 8))
        }

        /// The kernel would kill the process if the copy failed.
        @Test func aThreadThatBlocksTheSignalCopiesNothing() throws {
            let test = try TestFile([1])
            let mapping = try #require(test.directory.open("f").mapping())
            let copies = Locked<[Bool]>([])
            for action in [SIG_BLOCK, SIG_UNBLOCK] {
                let thread = try WorkerThread.start(name: "test-blocked") {
                    var signals = sigset_t()
                    unsafe sigemptyset(&signals)
                    unsafe sigaddset(&signals, SIGBUS)
                    unsafe pthread_sigmask(action, &signals, nil)
                    let copy = Self.copy(mapping, 1, at: 0)
                    copies.withLock { $0.append(copy != nil) }
                }
                thread.join()
            }
            #expect(copies.withLock { $0 } == [false, true])
        }

        @Test func aThreadThatBlocksTheSignalGetsNoMapping() throws {
            let test = try TestFile([1])
            let file = try test.directory.open("f")
            let isMapped = Locked<[Bool]>([])
            let thread = try WorkerThread.start(name: "test-blocked") {
                var signals = sigset_t()
                unsafe sigemptyset(&signals)
                unsafe sigaddset(&signals, SIGBUS)
                for action in [SIG_BLOCK, SIG_UNBLOCK] {
                    unsafe pthread_sigmask(action, &signals, nil)
                    let mapping = file.mapping()
                    isMapped.withLock { $0.append(mapping != nil) }
                }
            }
            thread.join()
            #expect(isMapped.withLock { $0 } == [false, true])
        }
    }
#endif
