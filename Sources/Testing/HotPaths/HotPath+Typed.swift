import Shale
import ShaleEngine

extension HotPath {
    static let typedGetMemtable = HotPath("typed-get-memtable", "one integer by a text key, from the memtable") {
        let fixture = try TypedFixture(inSegments: false)
        return { operations in try typedGetLoop(fixture.namespace, fixture.keys, operations) }
    }

    static let typedGetSegment = HotPath("typed-get-segment", "one integer by a text key, from a cached block") {
        let fixture = try TypedFixture(inSegments: true)
        return { operations in try typedGetLoop(fixture.namespace, fixture.keys, operations) }
    }

    static let typedGetMissing = HotPath("typed-get-missing", "one integer by a text key that no segment has") {
        let fixture = try TypedFixture(inSegments: true)
        return { operations in try typedGetLoop(fixture.namespace, fixture.missingKeys, operations) }
    }

    static let typedSet = HotPath("typed-set", "one integer set under a text key") {
        let fixture = try TypedFixture(inSegments: false)
        return { operations in try typedSetLoop(fixture.namespace, fixture.keys, operations) }
    }

    @inline(never)
    private static func typedGetLoop(
        _ namespace: Store.Namespace, _ keys: [String], _ operations: Int
    ) throws(StorageError) -> UInt64 {
        var digest: UInt64 = 0
        for step in 0..<operations {
            let number = try namespace.value(forKey: keys[HotPathData.visit(step)], as: Int.self)
            digest &+= UInt64(truncatingIfNeeded: number ?? -1)
        }
        return digest
    }

    @inline(never)
    private static func typedSetLoop(
        _ namespace: Store.Namespace, _ keys: [String], _ operations: Int
    ) throws(StorageError) -> UInt64 {
        for step in 0..<operations { try namespace.set(step, forKey: keys[HotPathData.visit(step)]) }
        return UInt64(operations)
    }
}

/// A store with an integer under each of ``HotPathData/count`` text keys.
private final class TypedFixture {
    let keys: [String]
    let missingKeys: [String]
    let namespace: Store.Namespace
    private let store: Store
    private let temporary: TemporaryDirectory

    init(inSegments: Bool) throws {
        temporary = try TemporaryDirectory()
        // Keys of equal length, and short like the names of settings.
        keys = (0..<HotPathData.count).map { "item-\(100_000 + 2 * $0)" }
        missingKeys = (0..<HotPathData.count).map { "item-\(100_001 + 2 * $0)" }
        let options = Store.Options(engine: EngineFixture.options)
        store = try Store(at: temporary.path, options: options, environment: EngineFixture.environment)
        namespace = store.common["hot"]
        for (index, key) in keys.enumerated() { try namespace.set(index, forKey: key) }
        guard inSegments else { return }
        try store.engine.compact()
        for key in keys { _ = try namespace.value(forKey: key, as: Int.self) }
    }
}
