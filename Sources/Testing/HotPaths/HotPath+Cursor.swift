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
    private static func walk(_ cursor: inout Engine.Cursor, _ operations: Int) throws(StorageError) -> UInt64 {
        var digest: UInt64 = 0
        for _ in 0..<operations {
            guard try cursor.next() else { break }
            digest &+= UInt64(cursor.value.byteCount)
        }
        return digest
    }
}

extension HotPath {
    static let mergeStep = HotPath("merge-step", "one step of a merge of eight sources, in random turns") {
        let data = HotPathData()
        let sources = (0..<8).map { source in
            let entries = (0..<HotPathData.count).filter { ($0 &* 0x9E37_79B1) >> 7 & 7 == source }
            return EntryCursor(ListedEntries(entries, of: data), headOffset: EncodedKey.namespaceWidth)
        }
        let merge = MergingCursor(sources)
        return { operations in
            try merge.seek(nil, .forward)
            return try mergeLoop(merge, operations)
        }
    }

    @inline(never)
    private static func mergeLoop(_ merge: MergingCursor, _ operations: Int) throws(StorageError) -> UInt64 {
        var digest: UInt64 = 0
        for _ in 0..<operations {
            if merge.isEnded { try merge.seek(nil, .forward) }
            digest = digest &* 31 &+ merge.current.trailer.rawValue
            try merge.next()
        }
        return digest
    }
}

/// A source that only copies entries, so that the merge dominates the cost.
@safe
private final class ListedEntries: EntrySource {
    private let entries: UnsafeMutableBufferPointer<ShaleBase.Entry>
    private let data: HotPathData
    private var next = 0

    init(_ indexes: [Int], of data: HotPathData) {
        self.data = data
        unsafe entries = .allocate(capacity: indexes.count)
        _ = unsafe entries.initialize(
            from: indexes.map { index in
                ShaleBase.Entry(
                    head: data.key(index).head(at: EncodedKey.namespaceWidth), key: data.key(index),
                    trailer: Trailer(SequenceNumber(index + 1), .put), expiry: 0, value: data.value(index))
            })
    }

    deinit { unsafe entries.deallocate() }

    func position(_ key: Bytes?, for cursor: EntryCursor) { next = 0 }

    func releaseBuffers() {}

    func fillRun(of cursor: EntryCursor) {
        let count = unsafe min(cursor.nextRunLength(), entries.count - next)
        if count > 0 {
            unsafe cursor.run.update(from: entries.baseAddress.unsafelyUnwrapped + next, count: count)
        }
        next += count
        cursor.runCount = count
    }
}
