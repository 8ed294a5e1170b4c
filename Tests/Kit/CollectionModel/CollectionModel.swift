package import Shale
import ShaleBase
import ShaleCollections
import ShaleEngine
import ShalePlatform
import ShaleSimulation

/// A collection and a model of it that get the same operations and must give the same answers.
///
/// Schema, options, keys and values are drawn. Each operation has a seed of its own, so that a failing history can be
/// shortened: without one operation, the others stay the same.
package final class CollectionModel {
    /// The numbers of what a history exercised.
    package struct Coverage {
        package var operations = 0
        package var records = 0
        package var matches = 0
        package var violations = 0
        package var powerCuts = 0
        package var lostSteps = 0
        package var migrations = 0
        package var staleEntries = 0

        package init() {}
    }

    /// The choices of the present operation.
    var random: SeededRandom
    /// The source of generated keys.
    private let keySource: SeededRandom
    let time = ManualTime()
    private let keyCount: Int
    /// True if the namespace encrypts by default.
    let encrypts: Bool
    let isScoped: Bool
    let userID: String?
    var options = Store.Options()
    var files: SimulatedFileSystem
    var store: Store
    var schema: DrawnSchema
    var collection: RecordCollection<Specimen>
    var oracle = SpecimenOracle()
    /// True if the stored schema may have indexes that are not ready. Their constraints hold in part then.
    var isUnfinished = false
    /// The states that a power cut may leave: the last durable one, then one after each later step.
    var states: [(sequence: UInt64, oracle: SpecimenOracle)] = []
    package private(set) var coverage = Coverage()
    private(set) var place = "the beginning"

    /// Opens a store in memory. `encryption` is that of the stores that encrypt; `nil` for none.
    package init(seed: UInt64, encryption: StoreEncryption?) throws {
        random = SeededRandom(seed: seed)
        keySource = SeededRandom(seed: ~seed)
        let isLarge = random.below(12) == 0
        keyCount = isLarge ? 420 : [6, 20, 60][random.below(3)]
        encrypts = encryption != nil && random.below(4) == 0
        let hidesValues = encryption != nil && random.below(6) == 0
        isScoped = random.below(6) == 0
        userID = random.below(3) == 0 ? "u" : nil
        options.engine.time = time
        options.engine.syncInterval = nil
        options.engine.memtableBytes = 64 << 10
        options.engine.memoryBudget = 8 << 20
        // JSON has no infinity and no NaN.
        options.codableFormat = .propertyList
        options.encryption = encryption
        options.appVersion = "1"
        files = SimulatedFileSystem(seed: seed)
        files.recordsOperations = false
        store = try CollectionModel.open(files, options)
        schema = DrawnSchema(random, hidesValues: hidesValues)
        let space = userID.map(store.user) ?? store.common
        try CollectionModel.configure(space["m"], isScoped: isScoped, encrypts: encrypts)
        collection = try RecordCollection(schema.schema, in: space["m"], random: keySource)
        try configure()
        if isLarge { try fill() }
        try madeDurable()
    }

    deinit {
        // A failed history may leave an engine that can't be closed; its failure is reported already.
        _ = Result { () throws(StorageError) in try store.close() }
    }

    static func open(_ files: SimulatedFileSystem, _ options: Store.Options) throws(StorageError) -> Store {
        try Store(
            at: "/store", options: options,
            environment: EngineEnvironment(fileSystem: files, random: SeededRandom(seed: 1), scheduling: .inline))
    }

    static func configure(_ namespace: Store.Namespace, isScoped: Bool, encrypts: Bool) throws(StorageError) {
        guard isScoped || encrypts else { return }
        try namespace.setOptions(NamespaceOptions(isVersionScoped: isScoped, isEncrypted: encrypts))
    }

    var values: SpecimenValues { SpecimenValues(random: random, keys: keyCount) }

    var source: ConditionSource { ConditionSource(random: random, values: values, fields: schema.fields) }

    var namespace: Store.Namespace { (userID.map(store.user) ?? store.common)["m"] }

    /// Opens the collection, and once more if the options of the namespace have to reach its indexes.
    func configure(adopting: Bool = false) throws(StorageError) {
        try CollectionModel.configure(namespace, isScoped: isScoped, encrypts: encrypts)
        for _ in 0..<(isScoped ? 2 : 1) {
            collection = try RecordCollection(
                schema.schema, in: namespace, onDifference: adopting ? .adopt : .refuse, random: keySource)
        }
    }

    private func fill() throws {
        for _ in 0..<300 { try insert() }
    }

    // MARK: Histories

    /// Runs a history and throws a ``Disagreement`` at the first wrong answer.
    package func run(_ operations: [UInt64]) throws {
        for (number, seed) in operations.enumerated() {
            place = "operation \(number) of seed \(seed)"
            coverage.operations += 1
            do {
                try step(seed)
            } catch let error as Disagreement {
                throw error
            } catch {
                throw failure("unexpected error: \(error)")
            }
            if number % 128 == 127 { try compareAll() }
        }
        place = "the end"
        try compareAll()
    }

    private func step(_ seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        oracle.expire(at: time.wallMilliseconds)
        let draw = random.below(1000)
        switch draw {
        case ..<220: try insert()
        case ..<260: try insertSeveral()
        case ..<400: try modify()
        case ..<460: try delete()
        case ..<530: try find()
        case ..<760: try query()
        case ..<800: try queryLikeExample()
        case ..<840: try changeMany()
        case ..<880: try transact()
        case ..<910: time.advance(milliseconds: UInt64(random.below(400)))
        case ..<945: try erase()
        case ..<965: try restart()
        case ..<985: try changeSchema()
        case ..<990: try migrate()
        default: try madeDurable()
        }
        if draw < 880 { note() }
    }

    /// Notes the state that the last step left.
    func note() {
        let sequence = store.engine.snapshot().sequence
        if states.last?.sequence == sequence { states.removeLast() }
        states.append((sequence, oracle))
    }

    /// Makes everything durable, so that a power cut leaves this state.
    func madeDurable() throws {
        try store.sync()
        states.removeAll(keepingCapacity: true)
        note()
    }

    // MARK: Comparing

    func failure(_ text: String) -> Disagreement { Disagreement(description: "\(place): \(text)") }

    func require(_ isRight: Bool, _ text: @autoclosure () -> String) throws {
        if !isRight { throw failure(text()) }
    }

    /// Compares all records and all index entries.
    func compareAll() throws {
        oracle.expire(at: time.wallMilliseconds)
        let page = try collection.query().page()
        try require(page.failures.isEmpty, "records that can't be read")
        try require(page.keys == oracle.keys(where: { _ in true }), "other keys")
        for (key, record) in zip(page.keys, page.records) {
            try compare(record, key)
            guard let info = try collection.namespace.info(forKey: key.bytes) else { throw failure("no info") }
            try require(info.isPurgeable == oracle.entries[key]?.isPurgeable, "other options under \(key)")
        }
        let report = try collection.verify()
        try require(report.isSound && report.failures.isEmpty, "not sound: \(report)")
        try require(report.records == oracle.entries.count, "\(report.records) records verified")
        try require(try collection.count() == oracle.entries.count, "another count")
        coverage.staleEntries += report.staleEntries
        coverage.records += report.records
    }

    /// Compares a record that was found with the model's.
    func compare(_ record: Specimen, _ key: RecordKey) throws {
        let (found, wanted) = (record.cells, oracle.entries[key]?.cells ?? [])
        for (field, pair) in zip(SpecimenField.all, zip(found, wanted)) where pair.0 != pair.1 {
            throw failure("\(field.name) is \(pair.0), not \(pair.1), under \(key.bytes)")
        }
        try require(found.count == wanted.count, "a record that should not be there under \(key.bytes)")
    }

    func matched(_ count: Int) { coverage.matches += count }
    func refused() { coverage.violations += 1 }
    func lostPower(_ steps: Int) {
        coverage.powerCuts += 1
        coverage.lostSteps += steps
    }
    func migrated() { coverage.migrations += 1 }
}

/// A wrong answer of a collection.
package struct Disagreement: Error, CustomStringConvertible {
    package let description: String
}
