/// The measurements of the demonstration.
struct DemoFigures {
    var sourceRecords = 0
    var sourceBytes: UInt64 = 0
    var entries = 0
    /// The bytes of keys and values of all imported entries.
    var rawBytes: UInt64 = 0
    /// The bytes of keys and values that the purge left.
    var liveRawBytes: UInt64 = 0
    var storedBytes: UInt64 = 0
    var directoryBytes: UInt64 = 0
    var purgedEntries: UInt64 = 0
    var returnedBytes: Int64 = 0
    var measuredBytes: Int64 = 0
    /// The bytes given to the engine by all processes that wrote.
    var userBytes: UInt64 = 0
    /// The bytes that the engine wrote to files in these processes.
    var writtenBytes: UInt64 = 0
    var importTime = Duration.zero
    var importedRecords = 0
    var resumeTime = Duration.zero
    var resumedRecords = 0
    var randomReadTime = Duration.zero
    var reopenAfterKill = Duration.zero
    var reopenAfterClose = Duration.zero

    mutating func add(_ killed: KilledImport) {
        importTime = killed.duration
        importedRecords = killed.acknowledged.records
        userBytes += killed.acknowledged.userBytes
        writtenBytes += killed.acknowledged.writtenBytes
    }

    var table: Shown {
        var table = Table([])
        table.add("source", "\(Figures.count(sourceRecords)) stanzas, \(Figures.bytes(sourceBytes))")
        table.add("entries", "\(Figures.count(entries)), \(Figures.bytes(rawBytes)) of keys and values")
        table.add("import, until the kill", Figures.rate(UInt64(importedRecords), importTime) + " stanzas")
        table.add("resume, skipping stored records", Figures.rate(UInt64(resumedRecords), resumeTime) + " stanzas")
        table.add(
            "random reads", Figures.rate(UInt64(DemoRun.randomReads), randomReadTime) + ", all equal to the source")
        table.add("reopen after the kill", Figures.duration(reopenAfterKill))
        table.add("reopen after a clean close", Figures.duration(reopenAfterClose))
        table.add("purged entries", Figures.count(purgedEntries))
        table.add(
            "returned by the purge",
            "\(Figures.bytes(returnedBytes)) reported, \(Figures.bytes(measuredBytes)) measured")
        table.add("live bytes of keys and values", Figures.bytes(liveRawBytes))
        table.add("stored in segments", Figures.bytes(storedBytes))
        table.add("directory, as du counts it", Figures.bytes(directoryBytes))
        table.add("space amplification", ratio(directoryBytes, liveRawBytes) + " (directory / live bytes)")
        table.add("write amplification", ratio(writtenBytes, userBytes) + " (written to files / given to the engine)")
        table.add("differences from the source", "0")
        return table.text
    }

    private func ratio(_ a: UInt64, _ b: UInt64) -> Shown { b == 0 ? "-" : Figures.decimal(Double(a) / Double(b), 2) }
}
