import ShaleBase
import ShaleEngine

extension HotPath {
    static let engineGetMemtable = HotPath("engine-get-memtable", "one value lent from the memtable") {
        let fixture = try EngineFixture(.memtable)
        return { operations in
            try EngineFixture.getLoop(fixture.engine, fixture.namespace, fixture.data, operations)
        }
    }

    static let engineGetSegment = HotPath("engine-get-segment", "one value lent from a cached block") {
        let fixture = try EngineFixture(.segments)
        return { operations in
            try EngineFixture.getLoop(fixture.engine, fixture.namespace, fixture.data, operations)
        }
    }

    static let engineGetMissing = HotPath("engine-get-missing", "one lookup of a key that no segment has") {
        let fixture = try EngineFixture(.segments)
        return { operations in try missingLoop(fixture.engine, fixture.namespace, fixture.data, operations) }
    }

    static let enginePut = HotPath("engine-put", "one buffered put") {
        let fixture = try EngineFixture(.none)
        return { operations in
            try EngineFixture.putLoop(fixture.engine, fixture.namespace, fixture.data, operations)
            return UInt64(operations)
        }
    }

    static let engineBatch = HotPath("engine-batch", "one put in a batch of a hundred") {
        let fixture = try EngineFixture(.none)
        return { operations in try batchLoop(fixture.engine, fixture.namespace, fixture.data, operations) }
    }

    @inline(never)
    private static func missingLoop(
        _ engine: Engine, _ namespace: NamespaceID, _ data: HotPathData, _ operations: Int
    ) throws(StorageError) -> UInt64 {
        var digest: UInt64 = 0
        for step in 0..<operations {
            let key = data.missingUserKey(HotPathData.visit(step))
            let count = try engine.withValue(forKey: key.span, in: namespace) { $0.byteCount }
            digest &+= count == nil ? 1 : 0
        }
        return digest
    }

    @inline(never)
    private static func batchLoop(
        _ engine: Engine, _ namespace: NamespaceID, _ data: HotPathData, _ operations: Int
    ) throws(StorageError) -> UInt64 {
        var done = 0
        while done < operations {
            var batch = WriteBatch()
            let count = min(100, operations - done)
            for step in 0..<count {
                let index = HotPathData.visit(done &+ step)
                try batch.put(data.value(index).span, forKey: data.userKey(index).span, in: namespace)
            }
            try engine.write(batch)
            done &+= count
        }
        return UInt64(done)
    }
}
