import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// Damage in one file does not keep `verify` from checking the others.
@Suite struct VerifyTests {
    @Test func everyFileIsLookedAt() throws {
        // Four segments in L0, which nothing compacts.
        let store = try TestStore {
            $0.l0CompactionTrigger = 20; $0.l0SlowdownTrigger = 30; $0.l0StopTrigger = 40
        }
        let ns = try store.namespace("n")
        for round in 0..<4 {
            try store.put("key\(round)", String(repeating: "\(round)", count: 500), in: ns)
            try store.engine.flush()
        }
        try store.reopen()
        let segments = store.files.paths().filter { $0.hasSuffix(".seg") }
        #expect(segments.count == 4)
        // The first has the next version, the second is removed, the third damaged, the fourth intact.
        try declareNewer(segments[0], on: store.files)
        store.files.remove(segments[1])
        store.files.corrupt(segments[2], at: 40, xor: 1)
        let report = try store.engine.verify()
        #expect(report.files == 4)
        #expect(Set(report.problems.map(\.code)) == [.newerFormat, .missing, .corruption])
        for (path, code) in zip(segments, [StorageError.Code.newerFormat, .missing, .corruption]) {
            let problem = try #require(report.problems.first { $0.code == code })
            #expect(problem.file.map { path.hasSuffix($0) } == true, "\(problem)")
        }
    }

    /// The report does not depend on which thread finds a problem first.
    @Test func findingsDoNotDependOnThreads() throws {
        let store = try TestStore(scheduling: .threads) {
            $0.l0CompactionTrigger = 30; $0.l0SlowdownTrigger = 40; $0.l0StopTrigger = 50
        }
        let ns = try store.namespace("n")
        for round in 0..<12 {
            for key in 0..<20 { try store.put("key\(round)-\(key)", String(repeating: "\(key)", count: 300), in: ns) }
            try store.engine.flush()
        }
        for (index, path) in store.files.paths().filter({ $0.hasSuffix(".seg") }).enumerated() where index % 3 > 0 {
            store.files.corrupt(path, at: 40, xor: 1)
            if index % 3 == 2 { store.files.corrupt(path, at: 2000, xor: 1) }
        }
        let one = try store.engine.verify(threads: 1)
        #expect(one.problems.count == 8)
        for threads in [2, 3, 16, 1000] {
            var last: UInt64 = 0
            let report = try store.engine.verify(threads: threads) { (bytes) throws(StorageError) in
                #expect(bytes >= last)
                last = bytes
            }
            #expect(report.problems.map(\.description) == one.problems.map(\.description))
            #expect(report.bytes == one.bytes && report.entries == one.entries && last > 0)
        }
    }

    @Test func cancellingEndsAllThreads() throws {
        let store = try TestStore(scheduling: .threads)
        let ns = try store.namespace("n")
        for key in 0..<200 { try store.put("key\(key)", String(repeating: "\(key)", count: 300), in: ns) }
        try store.engine.flush()
        let error = #expect(throws: StorageError.self) {
            try store.engine.verify(threads: 3) { (_) throws(StorageError) in throw StorageError(.noSpace, "mine") }
        }
        #expect(error?.code == .noSpace)
        #expect(try store.engine.verify(threads: 3).problems.isEmpty)
    }

    @Test func aCallerWhoCancelsIsObeyed() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        try store.put("key", "value", in: ns)
        try store.engine.flush()
        let error = #expect(throws: StorageError.self) {
            try store.engine.verify { (_: UInt64) throws(StorageError) in throw StorageError(.cancelled, "enough") }
        }
        #expect(error?.code == .cancelled)
    }

    private func declareNewer(_ path: String, on disk: SimulatedFileSystem) throws {
        var bytes = try #require(disk.read(path))
        let footer = bytes.count - 96
        bytes[footer + 76] = 3
        let number = try #require(UInt64(path.filter { $0.isNumber }))
        bytes.seal(footer..<footer + 80, at: footer + 80, file: number)
        disk.write(path, bytes)
    }
}
