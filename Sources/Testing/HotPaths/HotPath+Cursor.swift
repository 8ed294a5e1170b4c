import ShaleBase
import ShaleEngine

extension HotPath {
    static let cursorSeek = HotPath(
        "cursor-seek", "one cursor made at a random key, and its first entry", gateOperations: 1 << 11
    ) {
        let fixture = try EngineFixture(.segments)
        return { operations in try seekLoop(fixture.engine, fixture.namespace, fixture.data, operations) }
    }

    static let cursorReseek = HotPath(
        "cursor-reseek", "one cursor moved to a random key, and its first entry", gateOperations: 1 << 11
    ) {
        let fixture = try EngineFixture(.segments)
        return { operations in try reseekLoop(fixture.engine, fixture.namespace, fixture.data, operations) }
    }

    static let cursorNext = HotPath("cursor-next", "one entry of a walk over a whole namespace") {
        let fixture = try EngineFixture(.segments)
        return { operations in try nextLoop(fixture.engine, fixture.namespace, .forward, operations) }
    }

    static let cursorPrevious = HotPath("cursor-previous", "one entry of a walk backward over a whole namespace") {
        let fixture = try EngineFixture(.segments)
        return { operations in try nextLoop(fixture.engine, fixture.namespace, .reversed, operations) }
    }

    @inline(never)
    private static func seekLoop(
        _ engine: Engine, _ namespace: NamespaceID, _ data: HotPathData, _ operations: Int
    ) throws(StorageError) -> UInt64 {
        var digest: UInt64 = 0
        for step in 0..<operations {
            let start = data.userKey(HotPathData.visit(step)).array()
            var cursor = try engine.cursor(over: KeyRange(lower: .included(start), upper: .unbounded), in: namespace)
            if try cursor.next() { digest &+= UInt64(cursor.value.byteCount) }
        }
        return digest
    }

    @inline(never)
    private static func reseekLoop(
        _ engine: Engine, _ namespace: NamespaceID, _ data: HotPathData, _ operations: Int
    ) throws(StorageError) -> UInt64 {
        var digest: UInt64 = 0
        var cursor = try engine.cursor(in: namespace)
        for step in 0..<operations {
            let key = data.userKey(HotPathData.visit(step))
            try cursor.seek(to: key.span)
            if try cursor.next() { digest &+= UInt64(cursor.value.byteCount) }
        }
        return digest
    }

    @inline(never)
    private static func nextLoop(
        _ engine: Engine, _ namespace: NamespaceID, _ order: ScanOrder, _ operations: Int
    ) throws(StorageError) -> UInt64 {
        var digest: UInt64 = 0
        var done = 0
        while done < operations {
            var cursor = try engine.cursor(in: namespace, order: order)
            digest &+= try walk(&cursor, operations &- done)
            done &+= HotPathData.count
        }
        return digest
    }

    @inline(never)
    private static func walk(_ cursor: inout Cursor, _ operations: Int) throws(StorageError) -> UInt64 {
        var digest: UInt64 = 0
        for _ in 0..<operations {
            guard try cursor.next() else { break }
            digest &+= UInt64(cursor.value.byteCount)
        }
        return digest
    }
}
