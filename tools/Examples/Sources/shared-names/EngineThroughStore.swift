import ExampleSupport
import Shale

/// Uses the engine of a store in a file that imports nothing but Shale: the types that Shale's interface names, and
/// members of those that only the engine's names.
enum EngineThroughStore {
    static func check(at path: String) throws {
        var options = Store.Options()
        options.engine = Engine.Options()
        options.engine.durability = Durability.synced
        options.engine.lastCompression = .zstd(level: 3)
        let time: any TimeSource = SystemTime()
        options.engine.time = time
        let store = try Store(at: path, options: options)
        let recovery: RecoveryReport = store.recovery
        let doubt: ClockDoubt? = recovery.clockDoubt
        expect(doubt == nil, "the clock is not doubted")

        let before: Engine.Statistics = store.engine.statistics
        let words = store.common["words"]
        try words.set("tea", forKey: "a", durability: .buffered)
        try words.set("salt", forKey: "b")
        let taken = store.engine.statistics.since(before)
        expect(taken.batches == 2 && taken.stalls.stoppedWrites == 0, "two batches were written")
        let figures: NamespaceStatistics? = try words.statistics
        expect(figures?.keyCountMax == 2, "the namespace has two keys")

        let all = KeyRange.all
        expect(try words.keys(in: all).count() == 2, "a range of the engine selects keys of the store")
        let sequence: SequenceNumber = try store.snapshot().sequence
        expect(sequence > 0, "a snapshot has a sequence")

        let report = try store.engine.compact(.all) { expect($0.fraction <= 1, "progress is a share") }
        expect(report.erasedEntries == 0, "nothing was erased")
        for level in store.engine.statistics.levels { expect(level.level >= 0, "levels have numbers") }
        try store.close()
        expect(failure(at: path + "/missing/store")?.code == .missing, "there is no store")
    }

    private static func failure(at path: String) -> StorageError? {
        do throws(StorageError) {
            try Store(at: path, options: .readingOnly).close()
            return nil
        } catch {
            let cause = error.cause as? IOFailure
            expect(cause?.isMissing ?? true, "the cause is the system's error")
            return error
        }
    }
}

extension Store.Options {
    fileprivate static var readingOnly: Store.Options {
        var options = Store.Options()
        options.engine.mode = .readOnly
        return options
    }
}
