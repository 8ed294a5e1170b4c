import ShaleBase
import ShaleMemtable

extension FuzzTarget {
    /// Input: a batch.
    static let batch = FuzzTarget("batch", "batch: validation, application to a memtable", seeds: BatchTarget.seeds) {
        input in
        try input.withBytes { (bytes) throws in
            let operations: BatchOperations
            do {
                operations = try BatchOperations(validating: bytes)
            } catch {
                return
            }
            try BatchTarget.requireRoundTrip(operations)
            try BatchTarget.requireApplied(operations)
        }
    }
}

enum BatchTarget {
    private static let arenaBytes = 512 << 10

    /// Checks that the format is canonical: the encoder writes exactly the bytes that validated.
    static func requireRoundTrip(_ operations: BatchOperations) throws {
        var encoder = BatchEncoder()
        for operation in operations {
            encoder.append(
                namespace: operation.namespace, key: operation.userKey, kind: operation.kind,
                expiry: operation.expiry, value: operation.value)
        }
        encoder.setBaseSequence(operations.baseSequence)
        try require(encoder.bytes == operations.bytes, "a valid batch is encoded in another way")
    }

    static func requireApplied(_ operations: BatchOperations) throws {
        let memtable = Memtable(arena: try Arena(capacity: arenaBytes))
        guard memtable.hasRoom(bytes: operations.bytes.count, operations: operations.count) else { return }
        operations.apply(to: memtable)
        try require(memtable.entryCount == operations.count, "a memtable lost an operation")
        for (index, operation) in operations.enumerated() {
            var key = ByteBuffer()
            key.append(EncodedKey.start(of: operation.namespace))
            key.append(operation.userKey)
            let sequence = operations.baseSequence + UInt64(index)
            let found = memtable.get(key.bytes, through: sequence)
            guard let found, found.trailer == Trailer(sequence, operation.kind), found.value == operation.value,
                found.expiry == operation.expiry
            else { throw FuzzFinding("operation \(index) is not found again") }
        }
        let cursor = memtable.makeCursor(headOffset: 0)
        let forward = try EntryDigest(cursor, .forward)
        try require(forward.count == operations.count && forward.isOrdered, "a walk over a memtable is wrong")
        try require(try EntryDigest(cursor, .backward) == forward, "a memtable differs between directions")
    }

    static func seeds() -> [[UInt8]] {
        [1, 2, 40].map { count in
            var encoder = BatchEncoder()
            for index in 0..<count {
                let namespace = NamespaceID(rawValue: UInt32(1 + index % 3))
                let key = Array("key-\(index % 7)".utf8)
                let value = [UInt8](repeating: UInt8(index), count: index * 3)
                key.withBytes { key in
                    if index % 5 == 4 { return encoder.delete(namespace, key) }
                    value.withBytes { value in
                        encoder.put(
                            namespace, key, value, isPurgeable: index % 2 == 0, expiry: index % 3 == 0 ? 1_000 : nil)
                    }
                }
            }
            encoder.setBaseSequence(7)
            return encoder.bytes.array()
        }
    }
}
