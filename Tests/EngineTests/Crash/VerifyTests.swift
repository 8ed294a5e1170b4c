import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// Contract X-4: whatever is wrong with one file, the others are looked at all the same.
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
        // The first of the next version, the second gone, the third damaged, the fourth sound.
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
        bytes[footer + 76] = 2
        let number = try #require(UInt64(path.filter { $0.isNumber }))
        let sealed = OwnedBytes(Array(bytes[footer..<footer + 80]))
        var sum = Checksum.of(sealed.bytes, file: number, offset: UInt64(footer))
        for i in 0..<8 {
            bytes[footer + 80 + i] = UInt8(truncatingIfNeeded: sum)
            sum >>= 8
        }
        disk.write(path, bytes)
    }
}
