import ShaleEngine

/// fillseq, fillrandom, overwrite, fillbatch: one entry or one batch per commit, each in the page cache on return.
extension Bench {
    func fillSequentially() throws {
        try store.reset()
        try fill("fillseq", .ascending, generation: 0)
    }

    func fillRandomly() throws {
        try store.reset()
        try fill("fillrandom", .shuffled(Permutation(count: entries, seed: settings.seed)), generation: 0)
    }

    /// Writes every key once more, in another random order.
    func overwrite() throws {
        try requireEntries()
        let generation = store.contents.generations.upperBound + 1
        try fill(
            "overwrite", .shuffled(Permutation(count: entries, seed: settings.seed &+ generation)),
            generation: generation)
    }

    func fillInBatches() throws {
        try store.reset()
        let order = FillOrder.shuffled(Permutation(count: entries, seed: settings.seed))
        try fill("fillbatch", commitEntries: Target.batchEntries) { target, positions, began in
            try target.putBatches(positions, in: order, generation: 0, began: began)
        }
    }

    private func fill(_ workload: String, _ order: FillOrder, generation: UInt64) throws {
        try fill(workload, generation: generation) { target, positions, began in
            try target.put(positions, in: order, generation: generation, began: began)
        }
    }

    private func fill(
        _ workload: String, generation: UInt64 = 0, commitEntries: Int = 1,
        _ body: @escaping @Sendable (Target, Range<Int>, UInt64) throws -> LatencyRecorder
    ) throws {
        let target = try store.target
        let before = target.engine.statistics
        let (entries, threads) = (entries, threads)
        var rates = try measureWrites(commitEntries)
        var row = try measure(workload, threads: threads, operations: entries, on: target) { index, began in
            try body(target, Bench.share(index, of: threads, entries), began)
        }
        try settle(&row, since: before)
        rates += try measureWrites(commitEntries)
        let roofline = commitEntries == 1 ? "write(2)" : "write(2) of batches of \(commitEntries)"
        row.compare(with: Row.Roofline(name: roofline, perSecond: rates.median))
        store.contents = BenchStore.Contents(count: entries, generations: generation...generation)
        try store.verify()
        try report.add(row)
    }
}

extension Target {
    static let batchEntries = 1000

    /// Puts the keys at `positions` of `order`, 1000 to a batch. A batch is one operation of the latencies.
    fileprivate func putBatches(
        _ positions: Range<Int>, in order: FillOrder, generation: UInt64, began: UInt64
    ) throws -> LatencyRecorder {
        var key = KeyBuffer(byteCount: keyBytes)
        var recorder = LatencyRecorder(began: began)
        for start in stride(from: positions.lowerBound, to: positions.upperBound, by: Target.batchEntries) {
            let end = min(start + Target.batchEntries, positions.upperBound)
            var batch = WriteBatch()
            for position in start..<end {
                let index = order[position]
                key.set(index)
                try batch.put(values.value(index, generation), forKey: key.span, in: namespace)
            }
            try engine.write(batch)
            recorder.finish(entries: end - start)
        }
        return recorder
    }
}
