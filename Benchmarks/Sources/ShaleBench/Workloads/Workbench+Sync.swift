import Formatting
import Histogram

/// fillsync: every commit is durable on return.
extension Workbench {
    private static let commitsPerThread = 4000
    private static let commitsMax = 32_000

    /// A peer whose threads wait for each other by sleeping would take minutes.
    private static let secondsMax = 10.0

    func fillSynced(_ step: Assignment.Step) throws {
        let threads = step.threads
        let commits = min(Workbench.commitsPerThread * threads, Workbench.commitsMax)
        let order = Permutation(count: commits, seed: seed)
        let (values, keyBytes) = (values, keyBytes)
        var (row, recorders, start) = try measure(step, operations: commits, isSynced: true) { index, session, began in
            var key = KeyBuffer(byteCount: keyBytes)
            var recorder = LatencyRecorder(began: began)
            let end = began + UInt64(Workbench.secondsMax * 1e9)
            for position in Workbench.share(index, of: threads, commits) where recorder.last < end {
                let index = order[position]
                key.set(index)
                try session.put(values.value(index, 0), forKey: key.span)
                recorder.finish()
            }
            return recorder
        }
        let done = recorders.reduce(0) { $0 + Int($1.histogram.totalCount) }
        row.entries = commits
        row.operations = done
        row.perSecond = Double(done) / row.seconds
        if done < commits { row.note = "ended after \(Format.fixed(Workbench.secondsMax, 0)) s" }
        row.timeline = ResultTimeline(recorders)
        row.add(bytesWrittenSince: start.bytesWritten, userBytes: done * entryBytes)
        contents = Contents(count: done, keys: done < commits ? order : nil, after: "fill")
        try verify()
        try emit(row)
        contents = Contents()
    }
}
