import ShaleBase
import ShaleEngine
import ShaleManifest
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// Contract X-6, sentence by sentence: what can be missing from the end of the newest log without an error, and what
/// can't.
@Suite struct ResidueTests {
    /// A killed store with one log: `count` synced writes, followed by a mark if `isMarked`.
    private struct Killed {
        let disk: SimulatedFileSystem
        let path: String
        let bytes: [UInt8]
        let chunks: [LogImage.Chunk]
        /// The content of the log after half of the writes.
        let halfWay: [UInt8]

        init(_ count: Int = 20, isMarked: Bool = true, isOneGroup: Bool = false) throws {
            let store = try TestStore(scheduling: .deferred)
            let ns = try store.namespace("n")
            let path = try #require(store.files.paths().last { $0.hasSuffix(".wal") })
            var halfWay: [UInt8] = []
            for i in 1...count {
                let isSynced = !isOneGroup || i == count
                try store.put("key\(1000 + i)", "value", in: ns, durability: isSynced ? .synced : .buffered)
                if i == count / 2 { halfWay = try #require(store.files.read(path)) }
            }
            if isMarked { try store.engine.core.committer.markIfIdle() }
            disk = store.files.crashClone(.processKill)
            self.path = path
            self.halfWay = halfWay
            bytes = try #require(disk.read(path))
            chunks = LogImage(bytes).chunks
            #expect(chunks.count == count + (isMarked ? 1 : 0))
        }

        /// Returns the number of entries of a store with these bytes as its log, or the error's code if it does not
        /// open.
        func entries(_ log: [UInt8]) throws -> Result<Int, StorageError.Failed> {
            let changed = disk.crashClone(.keepAll)
            changed.write(path, log)
            do {
                let engine = try TestStore.open(changed, TestStore.smallOptions)
                let ns = try #require(engine.namespaces.first).id
                let keys = try engine.entries(in: ns).map { String(decoding: $0.key, as: UTF8.self) }
                #expect(keys == (0..<keys.count).map { "key\(1001 + $0)" }, "a prefix")
                try engine.close()
                return .success(keys.count)
            } catch let error as StorageError {
                return .failure(StorageError.Failed(code: error.code))
            }
        }
    }

    /// The log is cut at any offset, or zeroed from there to the end: what follows is lost, and nothing before it.
    @Test func theNewestLogCutAtAnyPlaceIsAShorterLog() throws {
        let killed = try Killed()
        for cut in stride(from: 0, through: killed.chunks.last?.range.upperBound ?? 0, by: 7) {
            let whole = killed.chunks.count { $0.type != 5 && $0.range.upperBound <= cut }
            let shorter = Array(killed.bytes.prefix(cut))
            let zeroed = shorter + [UInt8](repeating: 0, count: killed.bytes.count - cut)
            // A log without its header never began.
            let expected = cut < 64 ? 0 : whole
            #expect(try killed.entries(zeroed) == .success(expected), "zeroed from \(cut)")
            #expect(try killed.entries(shorter) == .success(expected), "cut at \(cut)")
        }
    }

    @Test func theNewestLogPutBackIsAnOlderLog() throws {
        let killed = try Killed()
        #expect(try killed.entries(killed.halfWay) == .success(10))
        #expect(try killed.entries([UInt8](repeating: 0, count: killed.bytes.count)) == .success(0))
    }

    /// Without the mark, nothing witnesses the chunks of the last sync; with it, the mark witnesses all of them.
    @Test func theMarkWitnessesTheLastSync() throws {
        for isMarked in [false, true] {
            let killed = try Killed(isMarked: isMarked, isOneGroup: true)
            for index in 0..<20 {
                var damaged = killed.bytes
                damaged[killed.chunks[index].range.lowerBound + 3] ^= 1
                let expected: Result<Int, StorageError.Failed> =
                    isMarked ? .failure(.init(code: .corruption)) : .success(index)
                #expect(try killed.entries(damaged) == expected, "\(index), marked=\(isMarked)")
            }
        }
    }

    /// The chunks of the next sync witness every sync but the last.
    @Test func theNextSyncWitnessesEarlierSyncs() throws {
        let killed = try Killed(isMarked: false)
        for index in 0..<20 {
            var damaged = killed.bytes
            damaged[killed.chunks[index].range.lowerBound + 3] ^= 1
            let isNoticed = index < 19
            let expected: Result<Int, StorageError.Failed> =
                isNoticed ? .failure(.init(code: .corruption)) : .success(index)
            #expect(try killed.entries(damaged) == expected, "\(index)")
        }
    }

    @Test func theLastChunkAndItsMarkTogetherLookTorn() throws {
        let killed = try Killed()
        var damaged = killed.bytes
        for chunk in killed.chunks.suffix(2) { damaged[chunk.range.lowerBound + 3] ^= 1 }
        #expect(try killed.entries(damaged) == .success(19))
    }

    /// A log that was synced and has a successor is checked against the length that the successor records.
    @Test func noOlderLogCanBeCut() throws {
        let store = try TestStore(scheduling: .deferred)
        let ns = try store.namespace("n")
        let core = store.engine.core
        let first = core.viewCell.retained().logs[0]
        var number = 0
        while core.viewCell.retained().logs[0] == first {
            number += 1
            try store.put("key\(number)", String(repeating: "v", count: 1000), in: ns)
        }
        for i in 0..<2 { try store.put("last\(i)", "value", in: ns, durability: .synced) }
        let disk = store.files.crashClone(.processKill)
        let path = "/store/wal/" + StoreLayout.log(first)
        let bytes = try #require(disk.read(path))
        let end = try #require(LogImage(bytes).chunks.last).range.upperBound
        for cut in [0, 64, end / 2, end - 1] {
            for rest in [0, bytes.count - cut] {
                let changed = disk.crashClone(.keepAll)
                changed.write(path, Array(bytes.prefix(cut)) + [UInt8](repeating: 0, count: rest))
                let error = #expect(throws: StorageError.self, "\(cut)") {
                    _ = try TestStore.open(changed, store.options)
                }
                #expect([.corruption, .missingLog].contains(error?.code), "\(cut): \(String(describing: error))")
            }
        }
    }
}

extension StorageError {
    /// An error's code, for comparison.
    fileprivate struct Failed: Error, Equatable { let code: StorageError.Code }
}
