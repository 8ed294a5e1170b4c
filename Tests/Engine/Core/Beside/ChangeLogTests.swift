import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// The change log of a store, read beside its owner: every change once, in order, each batch whole.
@Suite struct ChangeLogTests {
    private static var readOnly: Engine.Options {
        var options = ScriptRun.options
        options.mode = .readOnly
        return options
    }

    /// The batches of a log, which must follow each other without a gap.
    private struct Followed {
        let log: Engine.ChangeLog
        var last: SequenceNumber
        var changes: [Engine.Change] = []

        init(_ log: Engine.ChangeLog, after last: SequenceNumber) {
            self.log = log
            self.last = last
        }

        /// Reads what there is.
        mutating func drain(_ comment: String = "") throws {
            while let batch = try log.nextAvailable() {
                #expect(!batch.isGap && batch.sequences.lowerBound == last + 1, "\(batch) after \(last) \(comment)")
                #expect(batch.changes.allSatisfy { batch.sequences.contains($0.sequence) })
                last = batch.sequences.upperBound
                changes += batch.changes
            }
        }
    }

    @Test(arguments: CrashScript.all) func everyStepIsDelivered(_ script: CrashScript) throws {
        let run = ScriptRun(script)
        var followed: Followed?
        try run.run {
            do {
                if followed == nil {
                    let engine = try ScriptRun.open(run.files, Self.readOnly)
                    followed = Followed(try engine.changeLog(), after: engine.statistics.lastSequence)
                }
                let before = run.files.contents
                try followed?.drain("step \(run.stepIndex)")
                #expect(run.files.contents == before)
                if let engine = run.engine { #expect(followed?.last == engine.statistics.lastSequence) }
            } catch {
                Issue.record("step \(run.stepIndex): \(error)")
            }
        }
        followed?.log.cancel()
        followed = nil
        #expect(run.files.closesAllHandles, "\(run.files.openHandlePaths)")
    }

    /// The follower reads before each of the owner's calls, and never sees a part of a batch.
    @Test(arguments: [CrashScript.rotation, .flush, .purge, .drop, .batchesAcrossBlocks])
    func everyMomentOfTheOwnerIsFollowed(_ script: CrashScript) throws {
        let run = ScriptRun(script)
        var followed: Followed?
        var isInside = false
        run.files.willPerform = { _, _ in
            guard !isInside, run.engine != nil else { return }
            isInside = true
            defer { isInside = false }
            do {
                if followed == nil {
                    let engine = try ScriptRun.open(run.files, Self.readOnly)
                    followed = Followed(try engine.changeLog(after: 0), after: 0)
                }
                try followed?.drain("step \(run.stepIndex)")
            } catch {
                Issue.record("step \(run.stepIndex): \(error)")
            }
        }
        try run.run()
        run.files.willPerform = nil
        try followed?.drain("the end")
        #expect(followed?.last ?? 0 > 0)
    }

    /// The owner dies before one of its calls, and another one opens the store.
    @Test(arguments: [CrashScript.rotation, .flush, .compaction, .purge, .drop])
    func theDeathOfTheOwnerLosesNothing(_ script: CrashScript) throws {
        try OwnerDeath.forEach(of: script) { death in
            let (run, point) = (death.run, death.point)
            var followed: Followed?
            let isEnd = try death.happen {
                if followed == nil {
                    let engine = try ScriptRun.open(run.files, Self.readOnly)
                    followed = Followed(try engine.changeLog(after: 0), after: 0)
                }
                try followed?.drain("point \(point)")
            }
            try followed?.drain("point \(point), after the death")
            let next = try ScriptRun.open(run.files)
            let ns = try next.createNamespace(named: Array("later".utf8))
            try next.put(Array("1".utf8), forKey: Array("k".utf8), in: ns)
            try followed?.drain("point \(point), beside the next owner")
            if followed != nil { #expect(followed?.last == next.statistics.lastSequence, "point \(point)") }
            try next.close()
            return isEnd
        }
    }

    /// The changes are those that a subscription of the owner reports.
    @Test func theChangesAreThoseThatTheOwnerObserves() throws {
        let store = try TestStore()
        let random = SeededRandom(seed: 11)
        let names = ["a", "b", "c"].map { Array($0.utf8) }
        let subscription = try store.engine.subscribe(to: ChangeFilter(.prefixed([[]])), capacity: 1 << 20)
        var options = store.options
        options.mode = .readOnly
        let reader = try TestStore.open(store.files, options)
        var beside = Followed(try reader.changeLog(), after: 0)
        var own = Followed(try store.engine.changeLog(), after: 0)
        for step in 0..<600 {
            let id = try store.engine.createNamespace(named: names[Int(random.next() % 3)])
            switch random.next() % 24 {
            case 0: try store.engine.drop([id])
            case 1: try store.engine.truncate([id])
            case 2: try store.engine.purge(store.engine.namespaces.map(\.id))
            case 3: try store.engine.setOptions([UInt8(step & 0xff)], of: id)
            case 4: try store.engine.flush()
            case 5:
                // An operation that only a manifest between two others has is a gap.
                try beside.drain("step \(step)")
                try own.drain("step \(step)")
                try store.engine.rewriteManifest()
            case 6: try store.delete("k\(random.next() % 20)", in: id)
            default:
                var batch = WriteBatch()
                for _ in 0...(random.next() % 5) {
                    let key = Array("k\(random.next() % 20)".utf8)
                    try batch.put(random.bytes(Int(random.next() % 900)), forKey: key, in: id)
                }
                try store.engine.write(batch)
            }
            if random.next() % 4 == 0 { try beside.drain("step \(step)") }
            if random.next() % 4 == 0 { try own.drain("step \(step)") }
        }
        try beside.drain()
        try own.drain()
        #expect(own.changes == beside.changes && own.last == store.engine.statistics.lastSequence)
        var observed: [ObservedChange] = []
        #expect(eventually { subscription.start == 0 && hasAll(subscription, &observed, own.last) })
        let withoutOptions = own.changes.filter { $0.kind != .optionsChanged }
        #expect(withoutOptions.map { Fields($0) } == observed.map { Fields($0) })
        subscription.end()
        try store.engine.close()
        #expect(code { () throws(StorageError) in _ = try own.log.nextAvailable() } == .closed)
        #expect(try beside.log.nextAvailable() == nil)
    }

    private func hasAll(
        _ subscription: ChangeSubscription, _ observed: inout [ObservedChange], _ last: SequenceNumber
    ) -> Bool {
        while case .change(let change)? = subscription.poll() { observed.append(change) }
        return observed.last?.sequence ?? 0 >= last - 1
    }

    private struct Fields: Equatable {
        let sequence: SequenceNumber
        let kind: String
        let name: [UInt8]
        let key: [UInt8]

        init(_ change: Engine.Change) {
            (sequence, kind, name, key) = (change.sequence, "\(change.kind)", change.name, change.key)
        }

        init(_ change: ObservedChange) {
            (sequence, kind, name, key) = (change.sequence, "\(change.kind)", change.name, change.key)
        }
    }

    @Test func itContinuesAfterAnySequence() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        var options = store.options
        options.mode = .readOnly
        let reader = try TestStore.open(store.files, options)
        var whole = Followed(try reader.changeLog(after: 0), after: 0)
        for i in 0..<40 {
            try store.put("key\(i)", String(repeating: ".", count: 4000), in: ns)
            if i % 9 == 8 { try store.engine.purge([ns]) }
        }
        try whole.drain()
        // A follower that keeps the logs.
        let keeper = try reader.changeLog(after: 0)
        for start in 0...whole.last {
            var part = Followed(try reader.changeLog(after: start), after: start)
            try part.drain("after \(start)")
            #expect(part.last == whole.last)
            #expect(part.changes == whole.changes.filter { $0.sequence > start })
        }
        keeper.cancel()
        try store.engine.close()
    }

    @Test func aStartAboveTheLastSequenceIsAGap() throws {
        let store = try TestStore()
        try store.put("k", "v", in: store.namespace("n"))
        let log = try store.engine.changeLog(after: 1000)
        let batch = try log.nextAvailable()
        #expect(batch == Engine.ChangeBatch(gap: 1...1))
        #expect(try log.nextAvailable() == nil)
        try store.put("k", "v", in: store.namespace("n"))
        #expect(try log.nextAvailable()?.sequences == 2...2)
        try store.engine.close()
    }
}
