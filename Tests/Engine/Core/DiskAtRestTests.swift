#if os(Linux)
    import Glibc
    import ShaleBase
    import ShaleEngine
    import ShalePlatform
    import TestSupport
    import Testing

    /// The space that a store takes on a real disk while it is idle.
    @Suite struct DiskAtRestTests {
        /// Returns the allocated bytes of the files below `path`, including reserved ones.
        private static func allocated(_ directory: any Directory, _ path: String) throws -> Int {
            var sum = 0
            for name in try directory.list() {
                var status = stat()
                // Files may vanish during the listing: logs and spares are created and deleted in the background.
                guard unsafe lstat(path + "/" + name, &status) == 0 else { continue }
                sum += Int(status.st_blocks) * 512
            }
            return sum
        }

        private static func key(_ number: Int) -> [UInt8] { Array("key\(number)".utf8) }

        @Test func theSpaceOfBusyLogsComesBack() throws {
            let disk = try DiskDirectory()
            var options = Engine.Options()
            options.memtableBytes = 48 << 20
            let engine = try Engine.open(at: disk.path + "/store", options: options)
            let namespace = try engine.createNamespace(named: [1])
            let logs = try PosixFileSystem().openDirectory(disk.path + "/store/wal", create: false)
            let value = SeededRandom(seed: 3).bytes(64 << 10)
            var most = 0
            for round in 0..<400 {
                let key = DiskAtRestTests.key(round)
                try unsafe engine.put(
                    value.span.bytes, forKey: key.span.bytes,
                    in: namespace)
                if round % 40 == 39 {
                    most = max(most, try DiskAtRestTests.allocated(logs, disk.path + "/store/wal"))
                }
            }
            try engine.flush()
            // Two logs, with two of the mapping's first steps each.
            let restBytes = 2 * (512 << 10) + (64 << 10)
            let isBack = try eventually {
                let now = try DiskAtRestTests.allocated(logs, disk.path + "/store/wal")
                return now <= restBytes && now < most
            }
            #expect(isBack)
            for round in 0..<400 {
                let key = DiskAtRestTests.key(round)
                let found = try unsafe engine.value(
                    forKey: key.span.bytes, in: namespace)
                #expect(found?.count == value.count)
            }
            try engine.close()
            #expect(try logs.list().isEmpty)
        }
    }

    /// A directory under $TMPDIR that is removed with its owner.
    private final class DiskDirectory {
        let path: String

        init() throws {
            let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
            path = FileName.join(base, "shale-rest-\(getpid())-\(UInt64.random(in: 0 ... .max))")
            _ = try PosixFileSystem().openDirectory(path, create: true)
        }

        deinit {
            do { try DiskDirectory.remove(path) } catch { Issue.record("could not remove \(path): \(error)") }
        }

        private static func remove(_ path: String) throws {
            for name in try PosixFileSystem().openDirectory(path, create: false).list() {
                if unsafe unlink(path + "/" + name) != 0 { try remove(path + "/" + name) }
            }
            unsafe rmdir(path)
        }
    }
#endif
