import Foundation
import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

/// Each moment of a followed store is restored exactly, whatever happens between the moments.
@Suite struct RestoredMomentTests {
    private let time = ManualTime()
    private let files = SimulatedFileSystem(seed: 1)

    /// Some of the stores have value files.
    @Test func anyHistoryIsRestoredAtEachMoment() throws {
        let histories = Ring.choose(commit: 6, nightly: 200, release: 1000)
        for number in 0..<histories {
            let seed = Ring.seed &+ UInt64(number)
            let time = ManualTime()
            let script = try StoreScript(seed: seed, time: time)
            let followed = try FollowedStore(script.engine, in: script.files, time) {
                // Backups, full logs and shipped batches take turns.
                $0.backupInterval = .milliseconds(2000)
                $0.logBytesMax = 12 << 10
            }
            let random = SeededRandom(seed: seed)
            for _ in 0..<25 {
                try script.run(1 + random.below(40))
                try followed.step(script.engine)
                if random.chance(0.1) { try followed.restart() }
            }
            #expect(followed.backupCount > 2)
            try followed.follower.close()
            try followed.check(nil, in: nil, "seed \(seed)")
            try script.engine.close()
        }
        Ring.covered(histories * 26, "moments of histories restored")
    }

    @Test func controlOperationsBelongToTheirMoments() throws {
        let owner = try StoreScript.open(files, time)
        let first = try owner.createNamespace(named: Array("first".utf8), options: [1])
        try owner.put([1], forKey: Array("a".utf8), in: first)
        let followed = try FollowedStore(owner, in: files, time)
        let operations: [() throws -> Void] = [
            { try owner.setOptions([2, 2], of: first) },
            { _ = try owner.createNamespace(named: Array("second".utf8), options: [3]) },
            { try owner.put([2], forKey: Array("b".utf8), in: owner.createNamespace(named: Array("second".utf8))) },
            { try owner.put([3], forKey: [3], in: first, options: PutOptions(isPurgeable: true)) },
            { try owner.purge([first]) },
            { try owner.put([4], forKey: [4], in: first) },
            { try owner.truncate([first]) },
            { try owner.put([5], forKey: [5], in: first) },
            { try owner.drop([first]) },
            { try owner.put([6], forKey: [6], in: owner.createNamespace(named: Array("first".utf8))) },
        ]
        for operation in operations {
            try operation()
            guard case .shipped = try followed.step(owner) else { throw Unexpected() }
        }
        try followed.check()
        #expect(Set(followed.moments.map { $0.content.options.count }) == [1, 2])
        try owner.close()
    }

    /// The owner writes at each call of the follower, at most 60 times during a step.
    @Test func aMomentIsAPrefixWhateverIsWrittenMeanwhile() throws {
        let owner = try StoreScript.open(files, time)
        let namespace = try owner.createNamespace(named: [1])
        let followed = try FollowedStore(owner, in: files, time) { $0.backupInterval = .milliseconds(100) }
        var (written, limit) = (0, 60)
        var isInside = false
        files.willPerform = { _, _ in
            if isInside || written == limit { return }
            isInside = true
            defer { isInside = false }
            do {
                try owner.put([1], forKey: Array("\(1_000_000 + written)".utf8), in: namespace)
                written += 1
                if written % 100 == 0 { try owner.flush() }
            } catch {
                Issue.record("\(error)")
            }
        }
        var steps: [(milliseconds: Int64, bounds: ClosedRange<Int>)] = []
        for _ in 0..<40 {
            let before = written
            limit = before + 60
            _ = try followed.follower.step()
            steps.append((time.wallMilliseconds, before...written))
            time.advance(milliseconds: 10)
        }
        files.willPerform = nil
        #expect(written > 100)
        let copy = files.crashClone(.processKill)
        #expect(try Maintenance.verifyBackups(in: FollowedStore.backups, number: nil, fileSystem: copy).isEmpty)
        for (milliseconds, bounds) in steps {
            let content = try FollowedStore.restore(copy, at: milliseconds, into: "/\(milliseconds)").content
            let keys = (content.entries[[1]] ?? [:]).keys.map { String(decoding: $0, as: UTF8.self) }.sorted()
            #expect(bounds.contains(keys.count), "\(keys.count) entries")
            #expect(keys == (0..<keys.count).map { "\(1_000_000 + $0)" })
        }
        try owner.close()
    }

    @Test func anEntryThatExpiredLaterIsThere() throws {
        let owner = try StoreScript.open(files, time)
        let namespace = try owner.createNamespace(named: [1])
        let followed = try FollowedStore(owner, in: files, time)
        var options = PutOptions()
        options.expiresAtMilliseconds = time.wallMilliseconds + 1000
        try owner.put([1], forKey: [1], in: namespace, options: options)
        try followed.step(owner)
        time.advance(milliseconds: 2000)
        try owner.put([2], forKey: [2], in: namespace)
        try owner.compact()
        try followed.step(owner)
        try followed.check()
        #expect(followed.moments.map { $0.content.entries[[1]]?.count } == [0, 1, 1])
        try owner.close()
    }

    /// The batches fill more than one memtable of the restored store.
    @Test func aLongLogTakesTheMemoryOfOneMemtable() throws {
        let owner = try StoreScript.open(files, time)
        let namespace = try owner.createNamespace(named: [1])
        let followed = try FollowedStore(owner, in: files, time)
        let random = SeededRandom(seed: 1)
        for number in 0..<18 as Range<UInt8> {
            try owner.put(random.bytes(4 << 20), forKey: [number % 16], in: namespace)
        }
        guard case .shipped = try followed.step(owner) else { throw Unexpected() }
        let copy = files.crashClone(.processKill)
        let restored = try FollowedStore.restore(copy, at: followed.moments[1].milliseconds, into: "/restored")
        #expect(restored.content == followed.moments[1].content)
        #expect(copy.paths().count { $0.hasPrefix("/restored/segments/") } > 1)
        try owner.close()
    }

    @Test func aTimeBeforeTheFirstBackupNamesTheEarliestOne() throws {
        let owner = try StoreScript.open(files, time)
        let followed = try FollowedStore(owner, in: files, time)
        let begin = followed.moments[0].milliseconds
        let error = #expect(throws: StorageError.self) {
            try FollowedStore.restore(files, at: begin - 1, into: "/restored")
        }
        #expect(error?.code == .missing)
        #expect(error?.message.contains("earliest=2023-11-14T22:13:20.000Z") == true, "\(String(describing: error))")
        #expect(files.paths().allSatisfy { !$0.hasPrefix("/restored") })
        #expect(try FollowedStore.restore(files, at: begin, into: "/restored").content == followed.moments[0].content)
        try owner.close()
    }

    @Test func aListNamesTheTimeOfTheLastMoment() throws {
        let owner = try StoreScript.open(files, time)
        let namespace = try owner.createNamespace(named: [1])
        let followed = try FollowedStore(owner, in: files, time)
        let random = SeededRandom(seed: 1)
        // The last moment is in the last block, and far from it.
        for size in [10, 100_000, 10, 300_000] {
            try owner.put(random.bytes(size), forKey: [1], in: namespace)
            try followed.step(owner)
            let through = Date(timeIntervalSince1970: Double(try #require(followed.moments.last).milliseconds) / 1000)
            let info = try #require(try Maintenance.backups(in: FollowedStore.backups, fileSystem: files).last)
            #expect(info.restorableThrough == through)
            #expect(info.created < through)
        }
        try owner.close()
    }
}

struct Unexpected: Error {}
