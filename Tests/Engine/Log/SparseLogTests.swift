#if os(Linux)
    import Glibc
    import ShaleBase
    import ShalePlatform
    import TestSupport
    import Testing

    @testable import ShaleLog

    /// The file of a log is one terabyte long, almost all of it a hole.
    ///
    /// Reading takes time in proportion to the allocated blocks, and still examines all content in them.
    @Suite struct SparseLogTests {
        private static let size: UInt64 = 1 << 40

        private final class LogFile {
            let directory: any Directory
            private let parent: any Directory
            private let name = "shale-sparse-\(getpid())-\(UInt64.random(in: 0 ... .max))"
            var path: String { "/dev/shm/\(name)/log" }

            init() throws {
                parent = try PosixFileSystem().openDirectory("/dev/shm", create: false)
                directory = try parent.openDirectory(name, create: true)
            }

            deinit {
                do {
                    try directory.remove("log")
                    try parent.removeDirectory(name)
                } catch {
                    Issue.record("\(error)")
                }
            }
        }

        /// Reads a log of three records in a file of one terabyte. The last record is damaged, and `chunks` follow far
        /// behind.
        private func read(chunks: [(offset: UInt64, syncedOffset: UInt64)]) throws -> (LogEnd?, StorageError?, UInt64) {
            let logFile = try LogFile()
            let log = try LogWriter(
                directory: logFile.directory, name: "log", number: 7, kind: .wal, previous: .none, preallocate: 0)
            let record = OwnedBytes([UInt8](repeating: 9, count: 1000))
            for _ in 0..<3 { try log.append(record.bytes) }
            try log.close(truncating: false)
            try withFile(logFile) { descriptor in
                #expect(ftruncate(descriptor, off_t(SparseLogTests.size)) == 0)
                var byte: UInt8 = 8
                let written = unsafe pwrite(descriptor, &byte, 1, off_t(log.endOffset - 10))
                #expect(written == 1)
                for chunk in chunks {
                    let frame = OwnedBytes(count: LogFormat.chunkHeaderSize)
                    LogChunk.seal(
                        frame.mutable, .mark, syncedOffset: chunk.syncedOffset, number: 7, offset: chunk.offset)
                    let count = unsafe pwrite(
                        descriptor, frame.bytes.start, frame.bytes.count, off_t(chunk.offset))
                    #expect(count == frame.bytes.count)
                    withExtendedLifetime(frame) {}
                }
            }
            let file = CountingFile(try logFile.directory.open("log"))
            defer { file.close() }
            do throws(StorageError) {
                let reader = try LogReader(file: file, path: "log", number: 7, kind: .wal)
                return (try reader.forEach { _ in }, nil, file.readBytes)
            } catch {
                return (nil, error, file.readBytes)
            }
        }

        private func withFile(_ logFile: LogFile, _ body: (Int32) throws -> Void) throws {
            let descriptor = unsafe open(logFile.path, O_RDWR | O_CLOEXEC)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            try body(descriptor)
        }

        @Test func aTerabyteOfNothingIsNotRead() throws {
            let (end, error, readBytes) = try read(chunks: [])
            #expect(error == nil && end?.offset == 64 + 2 * 1020)
            #expect(readBytes < 6 << 20)
        }

        @Test func aWitnessIsFound() throws {
            let offsets: [UInt64] = [SparseLogTests.size - 4096, 300 << 30, (300 << 30) + 31_000]
            for offset in offsets {
                let chunks: [(offset: UInt64, syncedOffset: UInt64)] = [(10 << 30, 0), (offset, 100_000)]
                let (_, error, readBytes) = try read(chunks: chunks)
                #expect(error?.code == .corruption, "\(offset)")
                #expect(readBytes < 6 << 20)
            }
        }
    }

    /// Counts the bytes that are read, and throws before a test takes minutes.
    private final class CountingFile: ReadableFile, @unchecked Sendable {
        private let inner: any ReadableFile
        private(set) var readBytes: UInt64 = 0

        init(_ inner: any ReadableFile) { self.inner = inner }

        var name: String { inner.name }
        func size() throws(IOFailure) -> UInt64 { try inner.size() }
        func contentOffset(from offset: UInt64) throws(IOFailure) -> UInt64 { try inner.contentOffset(from: offset) }

        func read(into target: MutableBytes, at offset: UInt64) throws(IOFailure) -> Int {
            readBytes += UInt64(target.count)
            guard readBytes < 2 << 30 else { throw IOFailure("read", "too much", 5) }
            return try inner.read(into: target, at: offset)
        }

        func adviseSequential(offset: UInt64, count: UInt64) {}
        func close() { inner.close() }
    }
#endif
