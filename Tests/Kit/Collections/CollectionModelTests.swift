import CollectionModel
import ShaleCollections
import ShalePlatform
import TestSupport
import Testing

#if Encryption
    import ShaleEncryption
#endif

/// Random histories of collections agree with a model: schemas, records, conditions, constraints, erasures, migrations,
/// kills and power cuts are drawn.
///
/// `COLLECTION_STEPS` sets the number of operations, `COLLECTION_HISTORY` runs one history alone. A failure is made
/// smaller, and its message has the operations that remain.
@Suite struct CollectionModelTests {
    private static let length = 500

    private static var encryption: StoreEncryption? {
        get throws {
            #if Encryption
                .aes256GCM(.key(try SecretKey()))
            #else
                nil
            #endif
        }
    }

    private static func operations(of history: UInt64) -> [UInt64] {
        let random = SeededRandom(seed: history ^ 0x5E0D)
        return (0..<length).map { _ in random.next() }
    }

    /// Runs a history. Returns its failure.
    private static func failure(
        _ history: UInt64, _ operations: [UInt64], _ total: inout CollectionModel.Coverage
    ) throws -> String? {
        let encryption = try history % 3 == 0 ? encryption : nil
        do {
            let model = try CollectionModel(seed: history, encryption: encryption)
            try model.run(operations)
            total.add(model.coverage)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Two lanes run at the same time.
    @Test(arguments: [0, 1]) func everyHistoryAgreesWithAModel(_ lane: Int) throws {
        let steps =
            Ring.setting("COLLECTION_STEPS").flatMap { Int($0) }
            ?? Ring.choose(commit: 180_000, nightly: 20_000_000, release: 20_000_000)
        let alone = Ring.setting("COLLECTION_HISTORY").flatMap { UInt64($0) }
        let histories = alone == nil ? max(1, steps / Self.length) : 1
        var total = CollectionModel.Coverage()
        for number in 0..<histories where number % 2 == lane {
            let history = alone ?? Ring.seed &+ UInt64(number)
            let operations = Self.operations(of: history)
            guard let failure = try Self.failure(history, operations, &total) else { continue }
            var ignored = CollectionModel.Coverage()
            var last = failure
            let smallest = HistoryShrinking.smallest(operations, attempts: 400) { candidate in
                do {
                    guard let failure = try Self.failure(history, candidate, &ignored) else { return false }
                    last = failure
                    return true
                } catch {
                    return false
                }
            }
            Issue.record(
                """
                \(Ring.reproduction) COLLECTION_HISTORY=\(history): \(failure)
                with \(smallest.count) operations: \(last)
                \(smallest)
                """)
            return
        }
        Ring.covered(total.operations, "operations of collections against a model", "\(total)")
    }
}

extension CollectionModel.Coverage {
    fileprivate mutating func add(_ other: CollectionModel.Coverage) {
        operations += other.operations
        records += other.records
        matches += other.matches
        violations += other.violations
        powerCuts += other.powerCuts
        lostSteps += other.lostSteps
        migrations += other.migrations
        staleEntries += other.staleEntries
    }
}
