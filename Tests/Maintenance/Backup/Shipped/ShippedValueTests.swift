import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

/// Values in value files are shipped with their batches.
@Suite struct ShippedValueTests {
    private let time = ManualTime()
    private let files = SimulatedFileSystem(seed: 1)

    private func open(_ change: (inout Engine.Options) -> Void = { _ in }) throws -> Engine {
        try StoreScript.open(files, time) {
            $0.largeValueBytes = 64
            change(&$0)
        }
    }

    private func isShipped(_ step: BackupFollower.Step) -> Bool {
        if case .shipped = step { true } else { false }
    }

    @Test func eachMomentHasItsValues() throws {
        let owner = try open()
        let namespace = try owner.createNamespace(named: [1])
        let followed = try FollowedStore(owner, in: files, time)
        let random = SeededRandom(seed: 3)
        var options = PutOptions()
        options.isPurgeable = true
        for (index, bytes) in [63, 64, 70_000, 200_000, 0, 3 << 20].enumerated() {
            try owner.put(random.bytes(bytes), forKey: [UInt8(index)], in: namespace, options: options)
            #expect(isShipped(try followed.step(owner)))
            var batch = WriteBatch()
            for key in 0..<10 as Range<UInt8> {
                try batch.put(random.bytes(Int(key) * 20), forKey: [100 + key], in: namespace)
            }
            try batch.delete([UInt8(index / 2)], in: namespace)
            try owner.write(batch)
            #expect(isShipped(try followed.step(owner)))
        }
        try followed.check()
        // The shipped log needs no file of the store.
        try owner.close()
        for path in files.paths() where path.hasPrefix(StoreScript.path) { files.remove(path) }
        try followed.check()
    }

    /// Everything is replaced and collected between two steps, and the owner deletes what nobody holds when the
    /// follower is about to read values. The follower holds the state before, and with it the files that the logs
    /// refer to.
    @Test func theOwnerKeepsWhatIsNotShipped() throws {
        let owner = try open()
        try owner.putNumbered(0..<50, "first", padding: 500)
        let followed = try FollowedStore(owner, in: files, time)
        for round in 0..<5 {
            for part in 0..<3 {
                try owner.putNumbered(0..<50, "round \(round) \(part)", padding: 500)
                try owner.compact()
            }
            var isDone = false
            files.willPerform = { kind, path in
                // The refresh looks at the sizes of the files before.
                guard kind == .open, path.hasSuffix(".val"), !isDone else { return }
                isDone = true
                // A compaction without work deletes nothing.
                do { try owner.deleteReplacedFiles() } catch { Issue.record("\(error)") }
            }
            #expect(isShipped(try followed.step(owner)) && isDone, "round \(round)")
            files.willPerform = nil
        }
        try followed.check()
        try owner.close()
    }

    /// The owner keeps nothing for readers, so that a value has gone when the follower looks.
    @Test func aMissingValueMakesABackup() throws {
        let owner = try open { $0.readerTimeMax = .zero }
        try owner.putNumbered(0..<50, "first", padding: 500)
        let followed = try FollowedStore(owner, in: files, time)
        for round in 0..<5 {
            for part in 0..<3 {
                try owner.putNumbered(0..<50, "round \(round) \(part)", padding: 500)
                try owner.compact()
            }
            guard case .backedUp = try followed.step(owner) else { throw Unexpected() }
        }
        try followed.check()
        try owner.close()
    }

    @Test func aDamagedValueIsAnErrorAndNoMoment() throws {
        let owner = try open()
        let namespace = try owner.createNamespace(named: [1])
        let followed = try FollowedStore(owner, in: files, time)
        try owner.put([UInt8](repeating: 1, count: 100), forKey: [1], in: namespace)
        let file = try #require(files.paths().first { $0.hasSuffix(".val") })
        files.corrupt(file, at: 100, xor: 1)
        #expect(code { () throws(StorageError) in _ = try followed.follower.step() } == .corruption)
        files.corrupt(file, at: 100, xor: 1)
        guard case .backedUp = try followed.step(owner) else { throw Unexpected() }
        try followed.check()
        try owner.close()
    }
}
