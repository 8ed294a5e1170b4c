import ShaleBase
import ShaleMemtable

extension HotPath {
    static let memtableInsert = HotPath("memtable-insert", "one insert, in random order, into a memtable that grows") {
        let data = HotPathData()
        let pool = ArenaPool(capacity: arenaBytes, keptMax: 1)
        return { operations in
            var done = 0
            while done < operations {
                let memtable = Memtable(arena: try pool.take())
                let count = min(operations - done, HotPathData.count)
                memtableInsertLoop(memtable, data, count)
                done += count
            }
            return UInt64(done)
        }
    }

    static let memtableGet = HotPath("memtable-get", "one lookup of a key that is there") {
        let data = HotPathData()
        let memtable = try filledMemtable(data)
        return { operations in memtableGetLoop(memtable, data, operations) }
    }

    static let memtableScan = HotPath("memtable-scan", "one entry of a walk in order") {
        let memtable = try filledMemtable(HotPathData())
        let cursor = memtable.makeCursor(headOffset: EncodedKey.namespaceWidth)
        return { operations in try scanLoop(cursor, operations) }
    }

    /// Room for ``HotPathData/count`` entries, whatever the shape of the tree.
    static let arenaBytes = 8 << 20

    static func filledMemtable(_ data: HotPathData) throws -> Memtable {
        let memtable = Memtable(arena: try Arena(capacity: arenaBytes))
        memtableInsertLoop(memtable, data, HotPathData.count)
        return memtable
    }

    @inline(never)
    private static func memtableInsertLoop(_ memtable: Memtable, _ data: HotPathData, _ operations: Int) {
        for step in 0..<operations {
            let index = HotPathData.visit(step)
            memtable.insert(
                namespace: HotPathData.namespace, userKey: data.userKey(index),
                trailer: Trailer(SequenceNumber(truncatingIfNeeded: step &+ 1), .put), expiry: 0,
                value: data.value(index))
        }
    }

    @inline(never)
    private static func memtableGetLoop(_ memtable: Memtable, _ data: HotPathData, _ operations: Int) -> UInt64 {
        var digest: UInt64 = 0
        for step in 0..<operations {
            guard let found = memtable.get(data.key(HotPathData.visit(step)), through: Trailer.sequenceMax) else {
                continue
            }
            digest &+= found.value.u64(at: 0)
        }
        return digest
    }

    /// Reads a source from its start, repeatedly.
    @inline(never)
    static func scanLoop(_ cursor: EntryCursor, _ operations: Int) throws(StorageError) -> UInt64 {
        var digest: UInt64 = 0
        var done = 0
        while done < operations {
            try cursor.seek(nil, .forward)
            while cursor.runCount > 0, done < operations {
                for index in 0..<cursor.runCount { digest &+= unsafe cursor.run[index].value.u64(at: 0) }
                done &+= cursor.runCount
                try cursor.fill()
            }
        }
        return digest
    }
}
