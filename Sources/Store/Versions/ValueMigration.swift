import ShaleBase
import ShaleEngine

/// One pass that stores the values of a range in the current version of a codec. Used by one thread.
///
/// No value is lost or migrated twice, for these reasons:
/// 1. A value and its version are one entry, so every read point sees both before or both after a step.
/// 2. A step is one transaction. It writes an entry only if the stored bytes equal those that were migrated, and the
///    commit fails and runs again if another writer changed the entry since.
/// 3. The pass keeps no position on disk. A later pass decides by the versions of the values alone, and skips those
///    that are current.
struct ValueMigration<Value: Codable & Sendable>: Sendable {
    private let state: NamespaceState
    private let range: KeyRange
    private let codec: VersionedCodec<Value>

    init(_ state: NamespaceState, _ range: KeyRange, _ codec: VersionedCodec<Value>) {
        self.state = state
        self.range = range
        self.codec = codec
    }

    func run(
        _ progress: (ValueMigrationProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> ValueMigrationReport {
        try state.core.requireOpen()
        guard state.core.options.engine.mode != .readOnly else {
            throw StorageError(.readOnly, "the store was opened for reading only")
        }
        while let id = try state.existing() {
            do throws(StorageError) {
                return try migrate(id, progress)
            } catch {
                guard error.code == .namespaceDropped else { throw error }
                state.forget(id)
            }
        }
        return ValueMigrationReport()
    }

    private func migrate(
        _ id: NamespaceID, _ progress: (ValueMigrationProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> ValueMigrationReport {
        let total = max(1, try state.core.engine.count(over: range, in: id))
        var report = ValueMigrationReport()
        var rest = range
        while true {
            let page = try MigrationPage(rest, in: id, state.core.engine, current: codec.current)
            report.examined += page.examined
            try rewrite(page.entries, id, &report)
            // Entries that were added meanwhile are examined, but are not in the total.
            let fraction = page.isLast ? 1 : min(1, Double(report.examined) / Double(total))
            try progress(
                ValueMigrationProgress(examined: report.examined, migrated: report.migrated, fraction: fraction))
            guard !page.isLast else { return report }
            rest = KeyRange(lower: .excluded(page.lastKey), upper: range.upper)
        }
    }

    /// Migrates the values of a page and commits them in steps.
    private func rewrite(
        _ entries: [MigrationEntry], _ id: NamespaceID, _ report: inout ValueMigrationReport
    ) throws(StorageError) {
        var step: [MigratedEntry] = []
        var stepBytes = 0
        for entry in entries {
            guard let item = try migrated(entry, id, &report) else { continue }
            step.append(item)
            stepBytes += entry.key.count + item.envelope.count
            guard stepBytes >= MigrationPage.bytesMax else { continue }
            try commit(step, id, &report)
            step.removeAll(keepingCapacity: true)
            stepBytes = 0
        }
        try commit(step, id, &report)
    }

    /// Returns an entry's value in the current version; `nil` if the entry has it already, or if it can't be migrated.
    private func migrated(
        _ entry: MigrationEntry, _ id: NamespaceID, _ report: inout ValueMigrationReport
    ) throws(StorageError) -> MigratedEntry? {
        do throws(StorageError) {
            let plain = try unsafe state.withPlain(entry.value.span.bytes, entry.info, entry.key.span.bytes, id) {
                [UInt8](copying: $0)
            }
            let document = try unsafe VersionedDocument(envelope: plain.span.bytes)
            guard document.version <= codec.current else {
                report.newer += 1
                return nil
            }
            guard document.version < codec.current else { return nil }
            let envelope = try envelope(of: try codec.decodeStrictly(document), replacing: plain, document)
            return MigratedEntry(entry: entry, envelope: envelope, growth: Int64(envelope.count - plain.count))
        } catch {
            guard MigrationPage.errorsOfValues.contains(error.code) else { throw error }
            report.failed += 1
            report.firstFailure = report.firstFailure ?? error
            return nil
        }
    }

    /// Returns an envelope that keeps the time of writing and, unless the codec names one, the format of a document.
    private func envelope(
        of value: Value, replacing plain: [UInt8], _ document: VersionedDocument
    ) throws(StorageError) -> [UInt8] {
        let writtenAt = try unsafe plain.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
            try EnvelopeExtension.writtenAt(unsafe Bytes(buffer))
        }
        let standard = CodableFormat(document.payload.codec) ?? state.core.options.codableFormat
        var bytes: [UInt8] = []
        try codec.withPayload(value, standard) { (payload, codec) throws(StorageError) in
            bytes = try Envelope.with(codec, payload, writtenAt: writtenAt) { (envelope) throws(StorageError) in
                [UInt8](copying: envelope)
            }
        }
        return bytes
    }

    /// Writes those entries of a step whose stored bytes have not changed since they were read.
    private func commit(
        _ step: [MigratedEntry], _ id: NamespaceID, _ report: inout ValueMigrationReport
    ) throws(StorageError) {
        guard !step.isEmpty else { return }
        let count = try state.core.withinCapacity([id: growth(of: step)]) { () throws(StorageError) in
            try state.core.engine.transaction(attempts: .max) { (transaction) throws(StorageError) in
                var count = 0
                for item in step where try put(item, id, transaction) { count += 1 }
                return count
            }
        }
        report.migrated += count
        report.changed += step.count - count
    }

    /// Returns the bytes by which the purgeable entries of a step grow. Those that shrink do not count.
    private func growth(of step: [MigratedEntry]) -> Int64 {
        step.reduce(0) { $1.entry.info.isPurgeable ? $0 + max(0, $1.growth) : $0 }
    }

    private func put(
        _ item: MigratedEntry, _ id: NamespaceID, _ transaction: Engine.Transaction
    ) throws(StorageError) -> Bool {
        let key = item.entry.key
        guard let now = try transaction.entry(forKey: key, in: id), now.value == item.entry.value else { return false }
        let options = PutOptions(
            isPurgeable: now.info.isPurgeable, expiresAtMilliseconds: now.info.expiresAtMilliseconds)
        guard let dataKey = try SealedEnvelope.dataKey(of: now.value) else {
            try transaction.put(item.envelope, forKey: key, in: id, options: options)
            return true
        }
        let cipher = try state.chosenCipher(ofKey: dataKey, id)
        let sealed = try unsafe state.sealed(item.envelope.span.bytes, key.span.bytes, id, options, cipher)
        transaction.attach(sealed.use, as: ObjectIdentifier(sealed.use.key))
        try transaction.put(sealed.value, forKey: key, in: id, options: options)
        return true
    }
}

/// An entry with its value in the current version, in an envelope that is not encrypted.
private struct MigratedEntry {
    let entry: MigrationEntry
    let envelope: [UInt8]
    /// The number of bytes by which the value grows.
    let growth: Int64
}
