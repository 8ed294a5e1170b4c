import Formatting
import Histogram

/// fillseq, fillrandom, overwrite, fillbatch: one entry or one batch per commit, each in the page cache on return.
extension Workbench {
    static let batchEntries = 1000

    func fill(_ step: Assignment.Step, _ order: FillOrder, generation: UInt64 = 0) throws {
        let (entries, threads, values, keyBytes) = (entries, step.threads, values, keyBytes)
        // In the order of the keys, a peer may have a faster way.
        let appends = if case .ascending = order { threads == 1 } else { false }
        try fill(step, generation) { index, session, began in
            try Workbench.put(
                Workbench.share(index, of: threads, entries), order, generation, session, values, keyBytes, began,
                appends: appends)
        }
    }

    /// Writes every key once more, in another random order.
    func overwrite(_ step: Assignment.Step) throws {
        let generation = contents.generations.upperBound + 1
        try fill(
            step, .shuffled(Permutation(count: entries, seed: seed &+ generation)), generation: generation)
    }

    /// Fills in batches; a batch is one operation of the latencies.
    func fillInBatches(_ step: Assignment.Step) throws {
        let order = Permutation(count: entries, seed: seed)
        let (entries, threads, values, keyBytes) = (entries, step.threads, values, keyBytes)
        try fill(step, 0) { index, session, began in
            let positions = Workbench.share(index, of: threads, entries)
            var key = KeyBuffer(byteCount: keyBytes)
            var recorder = LatencyRecorder(began: began)
            for start in stride(from: positions.lowerBound, to: positions.upperBound, by: Workbench.batchEntries) {
                let batch = start..<min(start + Workbench.batchEntries, positions.upperBound)
                try session.putBatch { put in
                    for position in batch {
                        let index = order[position]
                        key.set(index)
                        try put(key.span, values.value(index, 0))
                    }
                }
                recorder.finish(entries: batch.count)
            }
            return recorder
        }
    }

    private func fill(
        _ step: Assignment.Step, _ generation: UInt64,
        _ body: @escaping @Sendable (Int, any PeerSession, UInt64) throws -> LatencyRecorder
    ) throws {
        var (row, recorders, start) = try measure(step, operations: entries, body)
        row.timeline = ResultTimeline(recorders)
        try finishFill(&row, start, generation)
    }

    /// Fills at a fixed rate on one thread. A late operation does not delay the due times of later ones.
    func fillPaced(_ step: Assignment.Step) throws {
        let order = Permutation(count: entries, seed: seed)
        let (entries, values, keyBytes) = (entries, values, keyBytes)
        let interval = 1e9 / assignment.ratePerSecond
        var (row, recorders, start) = try measure(step, operations: entries, threads: 1) { _, session, began in
            var key = KeyBuffer(byteCount: keyBytes)
            var recorder = LatencyRecorder(began: began)
            for position in 0..<entries {
                let due = began + UInt64(Double(position) * interval)
                Clock.wait(until: due)
                let index = order[position]
                key.set(index)
                try session.put(values.value(index, 0), forKey: key.span)
                recorder.finish(due: due)
            }
            return recorder
        }
        row.workload = Workload.fillrandom.rawValue
        row.paced = ResultPace(ratePerSecond: assignment.ratePerSecond)
        row.timeline = ResultTimeline(recorders)
        try finishFill(&row, start, 0)
        // The waiting polls the clock, so processor time has no meaning.
        row.cpuSeconds = nil
    }

    private func finishFill(_ row: inout ResultRow, _ start: Start, _ generation: UInt64) throws {
        contents = Contents(count: entries, generations: generation...generation, after: "fill")
        try settle(&row, since: start, userBytes: entries * entryBytes, liveBytes: liveBytes)
        try verify()
        try emit(row)
    }

    /// Puts the keys at `positions` of `order`, one by one.
    static func put(
        _ positions: Range<Int>, _ order: FillOrder, _ generation: UInt64, _ session: any PeerSession,
        _ values: ValuePool, _ keyBytes: Int, _ began: UInt64, appends: Bool
    ) throws -> LatencyRecorder {
        var key = KeyBuffer(byteCount: keyBytes)
        var recorder = LatencyRecorder(began: began)
        for position in positions {
            let index = order[position]
            key.set(index)
            let value = values.value(index, generation)
            if appends { try session.append(value, forKey: key.span) } else { try session.put(value, forKey: key.span) }
            recorder.finish()
        }
        return recorder
    }
}

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
