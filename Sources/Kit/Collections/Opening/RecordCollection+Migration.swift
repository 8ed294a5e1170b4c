public import Shale
import ShaleBase
import ShalePlatform

/// The progress of a migration.
public struct CollectionMigrationProgress: Sendable, Hashable {
    /// The number of records examined, including those of an earlier call that was interrupted.
    public let examined: Int
    /// The estimated fraction of the work that is done, 0 … 1.
    public let fraction: Double
}

/// The result of a migration.
public struct CollectionMigrationReport: Sendable {
    /// The number of records that this call examined.
    public internal(set) var examined = 0
    /// The number of records that this call stored in the current version.
    public internal(set) var migrated = 0
    /// The records that can't be read. They stay as they are, and no index has them. At most 100.
    public internal(set) var failures: [RecordFailure] = []
}

extension RecordCollection {
    /// Makes a changed schema complete: stores records of earlier versions in the current one, and builds indexes that
    /// were added.
    ///
    /// ```swift
    /// let people = try store.common.collection(Person.schema, onDifference: .adopt)
    /// if try people.needsMigration { try people.migrate { print($0.fraction) } }
    /// ```
    /// Reads and writes continue meanwhile. The pass works in atomic steps of at most 128 records or about 16 MiB, and
    /// stores its position with each. If `progress` throws, or the process is killed at any point, the next call
    /// continues there.
    ///
    /// - Throws: `.constraintViolated` if two records agree in a unique index that is built. The collection stays as it
    ///   was; change one of them, and call again. The errors of reads, transactions and `progress`.
    /// - Complexity: O(records).
    @discardableResult
    public func migrate(
        progress: (CollectionMigrationProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> CollectionMigrationReport {
        try CollectionMigration(core).run(progress)
    }

    /// Does the same on a separate thread. Cancelling the task stops with `.cancelled` after the current step.
    @discardableResult
    public nonisolated(nonsending) func migrate(
        progress: @escaping @Sendable (CollectionMigrationProgress) -> Void = { _ in }
    ) async throws(StorageError) -> CollectionMigrationReport {
        let core = core
        return try await BlockingWork.run(reportingTo: progress) { (report) throws(StorageError) in
            try CollectionMigration(core).run(report)
        }
    }

    /// Drops indexes and builds them again, beside readers and writers. Until it has finished, queries read records
    /// instead. Continues with ``migrate(progress:)`` if it is interrupted.
    ///
    /// For a collection whose ``verify()`` is not sound: after a repair of a damaged store, or after writes to the
    /// namespaces below the collection's.
    ///
    /// - Parameters:
    ///   - names: The indexes, such as ``CollectionVerification/unsoundIndexes``; `nil` means all.
    ///   - progress: Called after each step of at most 128 records.
    /// - Throws: `.invalidArgument` for a name that is no index; the errors of ``migrate(progress:)``.
    @discardableResult
    public func rebuildIndexes(
        _ names: [String]? = nil, progress: (CollectionMigrationProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> CollectionMigrationReport {
        let core = core
        try core.records.transaction { (transaction) throws(StorageError) in
            var stored = try core.base.writableSchema(in: transaction).stored
            let hidesValues = try core.base.hidesValues
            for name in names ?? [] where !stored.indexes.contains(where: { $0.name == name }) {
                throw .invalid("the collection has no index of this name index=\(name)")
            }
            for position in stored.indexes.indices where names?.contains(stored.indexes[position].name) ?? true {
                stored.indexes[position].id = stored.nextIndex
                stored.indexes[position].isReady = false
                stored.indexes[position].isPartial = nil
                if hidesValues { stored.indexes[position].isKeyed = true }
                stored.nextIndex += 1
            }
            try core.base.store(stored, in: transaction)
        }
        try core.base.removeOrphans()
        return try migrate(progress: progress)
    }
}

/// One pass over the records of a collection. Used by one thread.
///
/// After it, every ready index has the entry of every record:
/// 1. An index is in the stored schema before the pass begins. A writer reads the schema's generation in its
///    transaction, so a write that commits after that knows the index and maintains it.
/// 2. Every record that was committed before is in the snapshot in which the pass finds the last key, and stays there
///    unless a later write replaces it.
/// 3. The pass reads each record again in the transaction that writes its entries. If a writer changes the record
///    meanwhile, one of both conflicts and runs again. So no entry of an old value is written after a new one.
/// 4. The position is stored with each step. A generation is stored with it, so a position in a pass of another schema
///    is not continued.
struct CollectionMigration<Record: Codable & Sendable> {
    private static var stepRecords: Int { 128 }
    private static var failuresMax: Int { 100 }

    private let core: CollectionCore<Record>

    init(_ core: CollectionCore<Record>) { self.core = core }

    func run(
        _ progress: (CollectionMigrationProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> CollectionMigrationReport {
        var report = CollectionMigrationReport()
        while try pass(&report, progress) {}
        return report
    }

    /// Runs until the schema is complete, or until it changes, which begins another pass. Returns true for the latter.
    private func pass(
        _ report: inout CollectionMigrationReport,
        _ progress: (CollectionMigrationProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        let moment = try core.records.snapshot()
        guard let schema = try core.base.schema(at: moment),
            schema.stored.isMigrating || schema.indexes.contains(where: { !$0.isReady })
        else { return false }
        let total = max(1, try core.records.count())
        var position = try position(of: schema, at: moment)
        var done = 0
        if let position {
            let passed = ByteRange(lower: [], upper: position + [0])
            done = try core.records.keys(in: passed.keyRange).count()
        }
        // Records behind the last one were inserted later, by writers that know the schema.
        guard let end = try moment[core.records].keys.reversed().first() else { return try !finish(schema) }
        while true {
            let scan = core.records.keys(in: ...end)
            let keys = try (position.map { scan.after($0) } ?? scan).array(limit: Self.stepRecords).map(\.bytes)
            guard !keys.isEmpty else { return try !finish(schema) }
            guard let examined = try step(keys, schema, &report) else { return true }
            position = keys[examined - 1]
            done += examined
            try progress(
                CollectionMigrationProgress(
                    examined: done, fraction: min(1, Double(done) / Double(total))))
        }
    }

    /// Returns the key of the last record of an interrupted pass for this schema.
    private func position(
        of schema: OpenSchema, at moment: borrowing Store.Snapshot
    ) throws(StorageError) -> [UInt8]? {
        guard let stored = try moment[core.base.meta].bytes(forKey: SchemaKeys.position),
            stored.starts(with: schema.generation)
        else { return nil }
        return Array(stored[schema.generation.count...])
    }

    /// Migrates the first of some records and stores the position. Returns the number of records examined, at least
    /// one; `nil` if the schema has changed.
    private func step(
        _ keys: [[UInt8]], _ schema: OpenSchema, _ report: inout CollectionMigrationReport
    ) throws(StorageError) -> Int? {
        let result = try core.records.transaction {
            (transaction) throws(StorageError) -> (examined: Int, migrated: Int, failures: [RecordFailure])? in
            guard try core.base.schema(at: transaction)?.generation == schema.generation else { return nil }
            var (examined, migrated) = (0, 0)
            var failures: [RecordFailure] = []
            var exposure: StorageError?
            for key in keys where transaction.byteCount < StepLimits.bytes {
                examined += 1
                do throws(StorageError) {
                    guard let found = try transaction[core.records].source.documentWithInfo(forKey: key) else {
                        continue
                    }
                    exposure = core.base.exposure(of: found.info.options, schema)
                    if exposure != nil { break }
                    if try migrate(key, found.document, found.info.options, schema, transaction) { migrated += 1 }
                } catch {
                    guard RecordFailure.isOfRecord(error) else { throw error }
                    failures.append(RecordFailure(key: RecordKey(bytes: key), error: error))
                }
            }
            // No failure of this record alone: an index without the record would miss it for good.
            if let exposure { throw exposure }
            let options: ValueOptions = [.notPurgeable, .neverExpires, .notEncrypted]
            let meta = core.base.meta
            try transaction.set(
                schema.generation + keys[examined - 1], forKey: SchemaKeys.position, in: meta, options: options)
            if !failures.isEmpty {
                try transaction.set(schema.generation, forKey: SchemaKeys.failures, in: meta, options: options)
            }
            return (examined, migrated, failures)
        }
        guard let result else { return nil }
        report.examined += result.examined
        report.migrated += result.migrated
        report.failures += result.failures.prefix(Self.failuresMax - report.failures.count)
        return result.examined
    }

    /// Stores one record in the current version, with its entries in the indexes that are built. Returns true if the
    /// record had an earlier version.
    private func migrate(
        _ key: [UInt8], _ document: VersionedDocument, _ options: ValueOptions, _ schema: OpenSchema,
        _ transaction: borrowing Store.Transaction
    ) throws(StorageError) -> Bool {
        let record = try core.codec.decode(document)
        let entryOptions = options.unencrypted
        try RecordAddress.with(of: record) { (record) throws(StorageError) in
            for index in schema.indexes where !index.isReady {
                let entry = index.layout.entry(of: record, key)
                try core.base.requireUnclaimed(entry, of: record, index, transaction)
                try transaction.setBytes(entry.value, forKey: entry.key, in: index.namespace, options: entryOptions)
            }
        }
        guard schema.stored.isMigrating, document.version < core.codec.current else { return false }
        try transaction.setDocument(record, forKey: key, in: core.records, using: core.codec, options: options)
        return true
    }

    /// Marks the schema as complete. Returns false if the schema has changed.
    private func finish(_ schema: OpenSchema) throws(StorageError) -> Bool {
        try core.records.transaction { (transaction) throws(StorageError) in
            guard try core.base.schema(at: transaction)?.generation == schema.generation else { return false }
            var stored = schema.stored
            stored.isMigrating = false
            let isPartial = try transaction[core.base.meta].bytes(forKey: SchemaKeys.failures) == schema.generation
            for position in stored.indexes.indices where !stored.indexes[position].isReady {
                stored.indexes[position].isReady = true
                if isPartial { stored.indexes[position].isPartial = true }
            }
            try core.base.store(stored, in: transaction)
            try transaction.remove(SchemaKeys.position, in: core.base.meta)
            try transaction.remove(SchemaKeys.failures, in: core.base.meta)
            return true
        }
    }
}
