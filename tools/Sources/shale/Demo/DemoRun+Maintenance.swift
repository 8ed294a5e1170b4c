import Shale

extension DemoRun {
    /// Purges the descriptions, and compares the report with the blocks that the directory takes before and after.
    ///
    /// Both sizes are those of the open store, as in the report: closing also removes the log and its reserved space.
    func purge() throws {
        try say("\n8. Purge the descriptions")
        var store = try openStore()
        let before = try DirectorySize(of: storePath).allocatedBytes
        let report = try PurgeCommand.purge(store, .all, isQuiet: false)
        try say("     " + report.text())
        let after = try DirectorySize(of: storePath).allocatedBytes
        try close(store)
        let measured = Int64(before) - Int64(after)
        try say(
            "     the directory went from \(Figures.bytes(before)) to \(Figures.bytes(after)): "
                + "\(Figures.bytes(measured)) less, \(Figures.bytes(abs(measured - report.returnedBytes))) from the "
                + "report"
        )
        figures.purgedEntries = report.entries
        figures.returnedBytes = report.returnedBytes
        figures.measuredBytes = measured
        try checkReturned(report.returnedBytes, measured)
        let purged = expected.namespaces[DemoRun.descriptions]?.count ?? 0
        expected.remove(DemoRun.descriptions)
        store = try openStore()
        let paths = Array(expected.namespaces.keys) + [DemoRun.descriptions]
        try require(try expected.differences(from: store, in: paths), "after the purge")
        try say(
            "     \(Figures.count(purged)) descriptions are gone, the other \(Figures.count(expected.count)) entries "
                + "are there"
        )
        try store.close()
    }

    /// Checks the report against the directory. The engine's threads also write a little, so the two may differ by up
    /// to 64 KiB.
    private func checkReturned(_ reported: Int64, _ measured: Int64) throws {
        guard abs(reported - measured) <= 64 << 10 else {
            throw ToolFailure.different("the purge reports \(reported) bytes and the directory lost \(measured)")
        }
    }

    func compact() throws {
        try say("\n9. Compact")
        let store = try openStore()
        let report = try CompactCommand.compact(store.engine, isQuiet: false)
        for line in report.text().lines { try say("     \(line)") }
        try require(try expected.differences(from: store, in: Array(expected.namespaces.keys)), "after the compaction")
        figures.liveRawBytes = expected.rawBytes
        figures.storedBytes = store.engine.statistics.storedBytes
        try close(store)
        figures.directoryBytes = try DirectorySize(of: storePath).allocatedBytes
    }

    func verify() throws {
        try say("\n10. Verify")
        let report = try VerifyCommand.verify(storePath, isQuiet: false)
        try say("     " + report.text())
        guard report.problems.isEmpty else { throw ToolFailure.different("the store is damaged") }
    }

    func reopenAfterClose() throws {
        let (store, time) = try time { try openStore() }
        figures.reopenAfterClose = time
        try store.close()
    }
}
