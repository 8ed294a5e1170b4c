import ShaleEngine

/// reopen: after a clean close. crashreopen: after SIGKILL with a memtable that is nearly full, which has to come back
/// from the log. Both count the time of `open` alone, with the files in the page cache.
extension Bench {
    private static let openings = 5

    func reopen() throws {
        try requireEntries()
        try store.settle()
        var times: [Double] = []
        for _ in 0..<Bench.openings {
            try store.close()
            let began = Clock.now
            _ = try store.target
            times.append(Clock.seconds(since: began))
        }
        var row = Row(
            workload: "reopen", entries: entries, threads: 1, operations: times.count, seconds: times.reduce(0, +))
        row.peakResidentBytes = Resources.peakResidentBytes
        row.tree = try store.target.treeDescription
        row.note = "median \(Format.seconds(times.median)), longest \(Format.seconds(times.max() ?? 0))"
        try store.verify()
        try report.add(row)
    }

    func reopenAfterCrash() throws {
        try store.reset()
        try store.close()
        let count = try CrashChild.run(path: store.path, entries: entries, settings: settings)
        store.contents = BenchStore.Contents(count: count)
        var row = try measureStep("crashreopen", operations: 1) { _ = try store.target }
        let recovery = try store.target.engine.recovery
        row.note =
            "\(Format.seconds(row.seconds)): \(recovery.replayedBatches) batches, "
            + "\(Format.megabytes(Int(recovery.replayedBytes))) of log replayed, \(recovery.droppedBytes) bytes torn"
        try store.settle()
        try store.verify()
        try report.add(row)
    }
}
