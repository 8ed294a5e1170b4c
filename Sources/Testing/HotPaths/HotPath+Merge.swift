import ShaleBase

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
    private let entries: UnsafeMutableBufferPointer<Entry>
    private let data: HotPathData
    private var next = 0

    init(_ indexes: [Int], of data: HotPathData) {
        self.data = data
        unsafe entries = .allocate(capacity: indexes.count)
        _ = unsafe entries.initialize(
            from: indexes.map { index in
                Entry(
                    head: data.key(index).head(at: EncodedKey.namespaceWidth), key: data.key(index),
                    trailer: Trailer(SequenceNumber(index + 1), .put), expiry: 0, value: data.value(index))
            })
    }

    deinit { unsafe entries.deallocate() }

    func position(_ key: Bytes?, for cursor: EntryCursor) { next = 0 }

    func rest() {}

    func fillRun(of cursor: EntryCursor) {
        let count = unsafe min(cursor.nextRunLength(), entries.count - next)
        if count > 0 {
            unsafe cursor.run.update(from: entries.baseAddress.unsafelyUnwrapped + next, count: count)
        }
        next += count
        cursor.runCount = count
    }
}
