import ShaleBase
import ShaleMemtable
import ShalePlatform
import Testing

@Suite struct ArenaTests {
    /// Applies batches until the memtable has no room. Returns the memory in use, which must be at most twice the
    /// capacity.
    private func exhaust(_ shape: KeyShape, capacity: Int, batchCount: Int) throws -> (used: Int, batches: Int) {
        let random = SeededRandom(seed: testSeed ^ 4)
        let memtable = Memtable(arena: try Arena(capacity: capacity))
        var sequence: SequenceNumber = 1
        var batches = 0
        while true {
            var encoder = BatchEncoder()
            for key in shape.make(batchCount, random) {
                withBytes(key) { encoder.put(NamespaceID(rawValue: 1), $0, .empty) }
            }
            guard memtable.hasRoom(bytes: encoder.byteCount, operations: encoder.count) else { break }
            encoder.operations.apply(to: memtable, from: sequence)
            sequence += UInt64(encoder.count)
            batches += 1
        }
        return (memtable.allocatedBytes, batches)
    }

    @Test(arguments: KeyShape.allCases)
    func acceptedBatchesStayWithinTheReservation(shape: KeyShape) throws {
        let capacity = 4 << 20
        let (used, batches) = try exhaust(shape, capacity: capacity, batchCount: 1000)
        #expect(used <= 2 * capacity, "seed \(testSeed)")
        #expect(batches > 0)
    }

    @Test func growthOfEveryNodeAtOnceStaysWithinTheReservation() throws {
        // Fills all nodes first; then one batch adds one child to each node.
        for fullCount in [4, 16, 48] {
            let capacity = 2 << 20
            let memtable = Memtable(arena: try Arena(capacity: capacity))
            var sequence: SequenceNumber = 1
            func insert(_ high: Int, _ low: Int) {
                withBytes([UInt8(high >> 8), UInt8(high & 255), UInt8(low)]) {
                    memtable.insert(
                        namespace: NamespaceID(rawValue: 1), userKey: $0, trailer: Trailer(sequence, .put), expiry: 0,
                        value: .empty)
                }
                sequence += 1
            }
            var nodes = 0
            while memtable.hasRoom(bytes: 3 * (fullCount + nodes + 1), operations: fullCount + nodes + 1) {
                for low in 0..<fullCount { insert(nodes, low) }
                nodes += 1
            }
            for node in 0..<nodes { insert(node, fullCount) }
            #expect(memtable.allocatedBytes <= 2 * capacity)
            #expect(memtable.entryCount == nodes * (fullCount + 1))
        }
    }

    @Test func aMemtableGivesItsArenaBackToThePool() throws {
        let pool = ArenaPool(capacity: 1 << 20, keptMax: 2)
        for round: UInt8 in 0..<4 {
            let memtable = Memtable(arena: try pool.take())
            #expect(pool.keptCount == 0)
            #expect(memtable.smallestKey == nil)
            for byte: UInt8 in 0..<200 {
                withBytes([byte, round]) {
                    memtable.insert(
                        namespace: NamespaceID(rawValue: 1), userKey: $0, trailer: Trailer(1, .put), expiry: 0,
                        value: .empty)
                }
            }
            #expect(try memtable.scan(from: nil, .forward).count == 200)
            #expect(memtable.get([0, 0, 0, 1, 7, round], through: 1) != nil)
            #expect(memtable.get([0, 0, 0, 1, 7, round &+ 1], through: 1) == nil)
            _ = consume memtable
            #expect(pool.keptCount == 1)
        }
    }

    @Test func thePoolKeepsNoMoreThanItMay() throws {
        let pool = ArenaPool(capacity: 1 << 20, keptMax: 2)
        var memtables = try (0..<5).map { _ in Memtable(arena: try pool.take()) }
        memtables.removeAll()
        #expect(pool.keptCount == 2)
        pool.trim()
        #expect(pool.keptCount == 0)
    }

    @Test func aBatchAboveTheStandardCapacityGetsAnArenaMadeToMeasure() throws {
        let pool = ArenaPool(capacity: 1 << 20, keptMax: 2)
        do {
            let memtable = Memtable(arena: try pool.take(forBatchBytes: 5 << 20, operations: 1000))
            #expect(memtable.hasRoom(bytes: 5 << 20, operations: 1000))
        }
        #expect(pool.keptCount == 0)
        #expect(try pool.take(forBatchBytes: 5, operations: 1).capacity == 1 << 20)
    }
}
