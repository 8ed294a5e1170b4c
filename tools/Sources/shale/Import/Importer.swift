import Shale

/// Imports records into a store in batches; each batch is atomic.
struct Importer {
    let store: Store
    let target: NamespacePath
    /// The namespace of the purgeable field.
    let purgeableTarget: NamespacePath?
    let input: ImportInput
    /// True if all values are encrypted, whatever the namespaces' defaults are.
    var encrypts = false
    /// True if records that exist with the same value are skipped.
    var isResuming = false
    var durability = Durability.buffered
    /// The number of records, if the caller knows it.
    var expectedRecords: Int?
    var acknowledgements: Acknowledgements?

    func run(_ progress: Progress) throws -> ImportReport {
        var report = ImportReport(files: input.files.count, namespace: target.text)
        try run(&report, progress)
        return report
    }

    /// Imports everything. `report` tells how much is stored, after a failure too.
    func run(_ report: inout ImportReport, _ progress: Progress) throws {
        var reader = input.batches()
        let totalBytes = knownInputBytes()
        let before = store.engine.statistics
        var prefix = AcknowledgedPrefix()
        while let records = try reader.next() {
            try write(records, &report)
            report.batches += 1
            prefix.batches = report.batches
            prefix.records = report.records
            try acknowledge(&prefix, since: before)
            progress.update(
                fraction: fraction(report.records, reader.readBytes, totalBytes),
                "\(Figures.count(report.records)) records, \(Figures.rate(UInt64(report.records), progress.elapsed)), "
                    + Figures.byteRate(reader.readBytes, progress.elapsed))
        }
        report.inputBytes = reader.readBytes
        report.seconds = progress.elapsed.seconds
        report.add(store.engine.statistics.since(before))
    }

    private func write(_ records: [Record], _ report: inout ImportReport) throws {
        let kept = isResuming ? try records.filter { try !isThere($0) } : records
        guard !kept.isEmpty else {
            report.records += records.count
            report.skippedRecords += records.count
            return
        }
        let target = store.namespace(target)
        let purgeableTarget = purgeableTarget.map { store.namespace($0) }
        let options: ValueOptions = encrypts ? .encrypted : []
        var refused: StorageError?
        do {
            report.entries += try store.write(durability: durability) { (batch) throws(StorageError) in
                do throws(StorageError) {
                    for record in kept {
                        try batch.set(record.value, forKey: record.key, in: target, options: options)
                        guard let purgeableTarget, let value = record.purgeable else { continue }
                        try batch.set(value, forKey: record.key, in: purgeableTarget, options: [options, .purgeable])
                    }
                } catch {
                    refused = error
                    throw error
                }
                return UInt64(batch.count)
            }
        } catch {
            guard Self.isOfInput(refused) else { throw error }
            throw ToolFailure.badInput("after record \(report.records): \(error.message)")
        }
        report.records += records.count
        report.skippedRecords += records.count - kept.count
    }

    /// Returns true if a record can't be stored: its key or its value is too long, or its value can't be encoded.
    private static func isOfInput(_ failure: StorageError?) -> Bool {
        failure?.code == .invalidArgument || failure?.code == .codecFailure
    }

    /// Returns true if the record exists. Its entries were written in one batch, so if the value exists, the purgeable
    /// field existed too, and may have been purged since.
    private func isThere(_ record: Record) throws -> Bool {
        try store.holds(record.value, forKey: record.key, at: target, encrypted: encrypts)
    }

    private func acknowledge(_ prefix: inout AcknowledgedPrefix, since before: Engine.Statistics) throws {
        guard let acknowledgements else { return }
        let written = store.engine.statistics.since(before)
        prefix.userBytes = written.userBytes
        prefix.writtenBytes = written.bytesToFiles
        try acknowledgements.acknowledge(prefix)
    }

    private func knownInputBytes() -> UInt64? {
        var total: UInt64 = 0
        for file in input.files {
            var status = stat()
            guard file != "-", !ByteStream.isCompressed(file), unsafe stat(file, &status) == 0 else { return nil }
            total += UInt64(status.st_size)
        }
        return total
    }

    private func fraction(_ records: Int, _ readBytes: UInt64, _ totalBytes: UInt64?) -> Double? {
        if let expectedRecords, expectedRecords > 0 { return min(1, Double(records) / Double(expectedRecords)) }
        guard let totalBytes, totalBytes > 0 else { return nil }
        return min(1, Double(readBytes) / Double(totalBytes))
    }
}

extension Engine.Statistics {
    /// The bytes written to logs and segments. The small amount for the manifest is left out.
    var bytesToFiles: UInt64 { logBytes + flushedBytes + compactionWrittenBytes }
}

struct ImportReport: Report {
    static let command = "import"

    let files: Int
    let namespace: String
    /// The number of records read, including those that existed already.
    var records = 0
    var skippedRecords = 0
    /// The number of rows of CSV that could not become records and were left out.
    var badRows = 0
    /// The number of entries written: records and their purgeable fields.
    var entries: UInt64 = 0
    var batches = 0
    var inputBytes: UInt64 = 0
    var seconds = 0.0
    /// The bytes of keys and values that were given to the engine.
    var userBytes: UInt64 = 0
    /// The bytes that the engine wrote to files meanwhile.
    var writtenBytes: UInt64 = 0

    let isDryRun: Bool

    init(files: Int, namespace: String, isDryRun: Bool = false) {
        self.files = files
        self.namespace = namespace
        self.isDryRun = isDryRun
    }

    mutating func add(_ statistics: Engine.Statistics) {
        userBytes += statistics.userBytes
        writtenBytes += statistics.bytesToFiles
    }

    func text() -> Shown {
        let time = Duration.seconds(seconds)
        let skipped: Shown = skippedRecords == 0 ? "" : " (\(Figures.count(skippedRecords)) were stored already)"
        let bad: Shown = badRows == 0 ? "" : ", \(Figures.count(badRows, "bad row")) left out"
        if isDryRun { return "\(Figures.count(records)) records can be imported\(bad)" }
        let written: Shown = "\(Figures.bytes(inputBytes)), as \(Figures.count(entries)) entries"
        return """
            \(Figures.count(records)) records\(skipped)\(bad), \(written) into \(namespace) in \
            \(Figures.duration(time)): \(Figures.rate(UInt64(records), time)), \(Figures.byteRate(inputBytes, time))
            """
    }
}
