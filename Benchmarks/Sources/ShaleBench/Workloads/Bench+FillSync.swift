import ShaleEngine

/// fillsync: every commit is durable on return. The roofline is measured between the rounds, because devices change
/// their speed from one second to the next.
extension Bench {
    private static let rounds = 3

    /// Commits of a round, by threads.
    private static let rounds1to16 = [1: 10_000, 4: 20_000, 16: 60_000]

    func fillSynced() throws {
        try store.reset()
        let target = try store.target
        var used = 0
        let total = Bench.rounds1to16.values.reduce(0, +) * Bench.rounds
        let order = FillOrder.shuffled(Permutation(count: total, seed: settings.seed))
        for threads in Bench.rounds1to16.keys.sorted() {
            let commits = min(Bench.rounds1to16[threads] ?? 0, max(threads, entries / 20))
            var recorders: [LatencyRecorder] = []
            var rates: [Double] = []
            var row = Row(
                workload: "fillsync/\(threads)", entries: entries, threads: threads, operations: 0, seconds: 0)
            for _ in 0..<Bench.rounds {
                rates.append(try rooflines.sync.measure(threads: threads, commits: commits))
                let first = used
                let round = try measureStep("", operations: commits) {
                    recorders += try Threads.run(threads) { index in
                        let share = Bench.share(index, of: threads, commits)
                        return try target.put(
                            first + share.lowerBound..<first + share.upperBound, in: order, generation: 0,
                            began: Clock.now, durability: .synced)
                    }
                }
                used += commits
                row.operations += commits
                row.seconds += round.seconds
                row.cpuSeconds += round.cpuSeconds
                row.peakResidentBytes = max(row.peakResidentBytes, round.peakResidentBytes)
            }
            rates.append(try rooflines.sync.measure(threads: threads, commits: commits))
            row.operationsPerSecond = Double(row.operations) / row.seconds
            row.describe(recorders)
            row.compare(with: Row.Roofline(name: "fdatasync, \(threads) threads", perSecond: rates.median))
            try report.add(row)
        }
        try verifySynced(used, order, target)
        try store.reset()
    }

    private func verifySynced(_ count: Int, _ order: FillOrder, _ target: Target) throws {
        var key = KeyBuffer(byteCount: target.keyBytes)
        for position in 0..<count {
            let index = order[position]
            key.set(index)
            let isRight = try target.engine.withValue(forKey: key.span, in: target.namespace) { value in
                target.values.matches(value, index, 0...0)
            }
            guard isRight == true else { throw BenchError.wrong("synced key \(index)") }
        }
    }
}
