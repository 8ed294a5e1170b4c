/// fillsync: every commit is durable on return.
extension Workbench {
    private static let commitsPerThread = 4000
    private static let commitsMax = 32_000

    func fillSynced(_ step: Assignment.Step) throws {
        let threads = step.threads
        let commits = min(Workbench.commitsPerThread * threads, Workbench.commitsMax)
        let order = FillOrder.shuffled(Permutation(count: commits, seed: seed))
        let (values, keyBytes) = (values, keyBytes)
        var (row, recorders, start) = try measure(step, operations: commits, isSynced: true) { index, session, began in
            try Workbench.put(
                Workbench.share(index, of: threads, commits), order, 0, session, values, keyBytes, began)
        }
        row.entries = commits
        row.timeline = ResultTimeline(recorders)
        row.add(bytesWrittenSince: start.bytesWritten, userBytes: commits * entryBytes)
        contents = Contents(count: commits, after: "fill")
        try verify()
        try emit(row)
        contents = Contents()
    }
}
