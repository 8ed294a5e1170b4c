import Shale
import ShaleBase

/// One pass over the records of a collection. Used by one thread.
///
/// After it, every ready index has the entry of every record:
/// 1. An index is in the stored schema before the pass begins. A writer reads the schema's generation in its
///    transaction, so a write that commits after that knows the index and maintains it.
/// 2. Every record that was committed before is in the snapshot in which the pass finds the last key, and stays there
///    unless a later write replaces it.
/// 3. A step is a transaction. It reads records at its moment, and counts the range that it has passed as read. If a
///    writer changes one of the records before the step commits, the step conflicts and runs again. If the writer
///    commits after the step, its deletion of the old entry comes later too. So no entry of an old value stays.
/// 4. The claims of unique values are read in the same transaction. If a writer claims one meanwhile, the step or the
///    writer conflicts, runs again and finds the other's claim.
/// 5. The position is stored with each step. A generation is stored with it, so a position in a pass of another schema
///    is not continued.
///
/// If only indexes are built, most records are not decoded: ``DocumentIndexing``.
///
/// Steps grow while they don't conflict, because a large one costs less for each record. Each conflict halves the step,
/// so that writers which keep changing records can't hold up the pass. Of the largest steps, one is made while another
/// thread commits the one before: ``runAhead(_:_:_:_:_:)``.
struct CollectionMigration<Record: Codable & Sendable> {
    private static var stepMin: Int { 128 }
    private static var stepMax: Int { 4096 }
    private static var failuresMax: Int { 100 }
    /// Of so many records whose entries are made from documents, one is decoded as well.
    private static var recordsPerCheck: Int { 64 }

    /// The result of one step.
    private struct Step {
        var examined = 0
        var migrated = 0
        var failures: [RecordFailure] = []
        /// The key of the last record examined; `nil` if none was left.
        var last: [UInt8]?
        /// True if entries that were made from documents are not those of the records.
        var hasOtherEntries = false
    }

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
        var size = Self.stepMin
        var documents =
            core.codec.recovers ? nil : DocumentIndexing(core.base, schema, version: core.codec.current)
        func note(_ step: Step, _ last: [UInt8]) throws(StorageError) {
            position = last
            done += step.examined
            report.examined += step.examined
            report.migrated += step.migrated
            report.failures += step.failures.prefix(Self.failuresMax - report.failures.count)
            try progress(
                CollectionMigrationProgress(
                    examined: done, fraction: min(1, Double(done) / Double(total))))
        }
        while true {
            if size == Self.stepMax, documents != nil, position != nil {
                try runAhead(position, through: end.bytes, schema, &size, &documents, note)
            }
            let rest = Self.rest(behind: position, through: end.bytes)
            guard let step = try step(rest, schema, &size, &documents) else { return true }
            if step.hasOtherEntries {
                (position, done, documents) = (nil, 0, nil)
                continue
            }
            guard let last = step.last else { return try !finish(schema) }
            try note(step, last)
        }
    }

    private static func rest(behind position: [UInt8]?, through end: [UInt8]) -> KeyRange {
        KeyRange(lower: position.map { .excluded($0) } ?? .unbounded, upper: .included(end))
    }

    /// Makes steps of the largest size, each while another thread commits the one before, and passes each that is
    /// committed to `note`. Returns when a step is another than usual, which ``step(_:_:_:_:)`` then makes once more:
    /// after a conflict or an error, after a change of the schema, and at the end.
    ///
    /// 1. Each step is a transaction of its own, with its own moment, and steps are committed in the order of their
    ///    ranges. So the stored position never passes a record whose entries are not stored.
    /// 2. A step that was made while the one before was not committed may have found a unique value free that the other
    ///    claims. It has read the claim, so it conflicts.
    /// 3. If a step is not committed, the one after it is dropped.
    private func runAhead(
        _ position: [UInt8]?, through end: [UInt8], _ schema: OpenSchema, _ size: inout Int,
        _ documents: inout DocumentIndexing?, _ note: (Step, [UInt8]) throws(StorageError) -> Void
    ) throws(StorageError) {
        var position = position
        var before: (commit: StepCommit, step: Step, last: [UInt8])?
        while true {
            let rest = Self.rest(behind: position, through: end)
            let next = Result { () throws(StorageError) in try prepare(rest, schema, &documents) }
            if let before {
                do throws(StorageError) {
                    try before.commit.wait()
                } catch {
                    guard error.code == .conflict || error.code == .namespaceDropped else { throw error }
                    size = max(1, size / 2)
                    return
                }
                try note(before.step, before.last)
            }
            guard case .success(let (step, transaction)) = next, let step, !step.hasOtherEntries, let last = step.last
            else { return }
            before = (StepCommit(transaction), step, last)
            position = last
        }
    }

    /// Makes a step of the largest size without committing it. The step is `nil` if the schema has changed.
    private func prepare(
        _ rest: KeyRange, _ schema: OpenSchema, _ documents: inout DocumentIndexing?
    ) throws(StorageError) -> (result: Step?, transaction: PreparedTransaction) {
        try core.records.prepare { (transaction) throws(StorageError) -> Step? in
            guard try core.base.schema(at: transaction)?.generation == schema.generation else { return nil }
            return try examine(rest, Self.stepMax, schema, &documents, transaction)
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

    /// Migrates the first records of a range, about `size` of them, and stores the position. Returns `nil` if the
    /// schema has changed. Sets `size` for the next step.
    private func step(
        _ rest: KeyRange, _ schema: OpenSchema, _ size: inout Int, _ documents: inout DocumentIndexing?
    ) throws(StorageError) -> Step? {
        var limit = size
        var conflicts = -1
        let step = try core.records.transaction { (transaction) throws(StorageError) -> Step? in
            conflicts += 1
            if conflicts > 0 { limit = max(1, limit / 2) }
            guard try core.base.schema(at: transaction)?.generation == schema.generation else { return nil }
            return try examine(rest, limit, schema, &documents, transaction)
        }
        size = conflicts > 0 ? limit : min(Self.stepMax, limit * 2)
        return step
    }

    /// Migrates at most `limit` records from the beginning of a range. If the record type decodes other values than its
    /// documents have, the position is removed, so that the pass begins again.
    private func examine(
        _ rest: KeyRange, _ limit: Int, _ schema: OpenSchema, _ documents: inout DocumentIndexing?,
        _ transaction: borrowing Store.Transaction
    ) throws(StorageError) -> Step {
        var step = Step()
        guard var walk = try transaction.storedWalk(rest, in: core.records) else { return step }
        var isLastInDocument = false
        while step.examined < limit, transaction.byteCount < StepLimits.bytes, try walk.next() {
            if step.examined % Self.recordsPerCheck == 0, try !hasSameEntries(documents, walk) {
                step.hasOtherEntries = true
                try transaction.remove(SchemaKeys.position, in: core.base.meta)
                return step
            }
            step.examined += 1
            isLastInDocument = try documents?.write(walk, transaction) ?? false
            if isLastInDocument { continue }
            var found: (key: [UInt8], content: Result<(document: VersionedDocument, info: ValueInfo), StorageError>)?
            walk.documentWithInfo { (key, content) in
                found = (unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }, content)
            }
            guard let (key, content) = found else { break }
            step.last = key
            // No failure of this record alone: an index without the record would miss it for good.
            if case .success(let content) = content, let exposure = core.base.exposure(of: content.info.options, schema)
            {
                throw exposure
            }
            do throws(StorageError) {
                let (document, info) = try content.get()
                if try migrate(key, document, info.options, schema, transaction) { step.migrated += 1 }
            } catch {
                guard RecordFailure.isOfRecord(error) else { throw error }
                step.failures.append(RecordFailure(key: RecordKey(bytes: key), error: error))
            }
        }
        if isLastInDocument, let documents { step.last = documents.primary }
        guard let last = step.last else { return step }
        try transaction.noteRead(of: KeyRange(lower: rest.lower, upper: .included(last)), in: core.records)
        try storePosition(last, hasFailures: !step.failures.isEmpty, schema, transaction)
        return step
    }

    /// False if the current record of a walk has other entries once it is decoded. A record that does not decode tells
    /// nothing.
    private func hasSameEntries(
        _ documents: DocumentIndexing?, _ walk: borrowing NamespaceWalk
    ) throws(StorageError) -> Bool {
        guard var documents, let expected = try documents.entries(walk) else { return true }
        var found: (key: [UInt8], document: Result<VersionedDocument, StorageError>)?
        walk.document { (key, document) in found = (unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }, document) }
        guard let (key, document) = found else { return true }
        do throws(StorageError) {
            let record = try core.coder.decode(try document.get())
            return RecordAddress.with(of: record) { (record) in documents.entries(of: record, key) } == expected
        } catch {
            guard RecordFailure.isOfRecord(error) else { throw error }
            return true
        }
    }

    private func storePosition(
        _ last: [UInt8], hasFailures: Bool, _ schema: OpenSchema, _ transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        let options: ValueOptions = [.notPurgeable, .neverExpires, .notEncrypted]
        let meta = core.base.meta
        try transaction.set(schema.generation + last, forKey: SchemaKeys.position, in: meta, options: options)
        guard hasFailures else { return }
        try transaction.set(schema.generation, forKey: SchemaKeys.failures, in: meta, options: options)
    }

    /// Stores one record in the current version, with its entries in the indexes that are built. Returns true if the
    /// record had an earlier version.
    private func migrate(
        _ key: [UInt8], _ document: VersionedDocument, _ options: ValueOptions, _ schema: OpenSchema,
        _ transaction: borrowing Store.Transaction
    ) throws(StorageError) -> Bool {
        let record = try core.coder.decode(document)
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
