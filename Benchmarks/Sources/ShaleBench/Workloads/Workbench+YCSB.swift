import Synchronization

/// The operations of one of YCSB's core workloads. The rest to 100 % are gets.
struct YCSBMix: Sendable {
    enum Choice: Sendable {
        /// Zipfian frequency, spread over all items.
        case zipfian
        /// Zipfian frequency, with the newest items as the most frequent.
        case latest
        /// Every item is equally frequent.
        case uniform
    }

    var updatePercent = 0
    var insertPercent = 0
    var scanPercent = 0
    var modifyPercent = 0
    var choice = Choice.zipfian

    /// The maximal number of entries of a scan; lengths are uniformly distributed.
    static let scanMax = 100

    init?(_ workload: Workload) {
        switch workload {
        case .ycsba: updatePercent = 50
        case .ycsbb: updatePercent = 5
        case .ycsbc: break
        case .ycsbd: (insertPercent, choice) = (5, .latest)
        case .ycsbe: (insertPercent, scanPercent) = (5, 95)
        case .ycsbf: modifyPercent = 50
        default:
            guard let mix = YCSBMix.uniform[workload].flatMap({ YCSBMix($0) }) else { return nil }
            self = mix
            choice = .uniform
        }
    }

    /// The mixes with uniform frequencies, and those whose operations they have.
    private static let uniform: [Workload: Workload] = [
        .ycsbauniform: .ycsba, .ycsbbuniform: .ycsbb, .ycsbcuniform: .ycsbc, .ycsbduniform: .ycsbd,
        .ycsbeuniform: .ycsbe, .ycsbfuniform: .ycsbf,
    ]

    var writesAnything: Bool { updatePercent + insertPercent + modifyPercent > 0 }
}

/// ycsba … ycsbf: random operations on items with skewed frequencies.
extension Workbench {
    func runYCSB(_ step: Assignment.Step) throws {
        guard let mix = YCSBMix(step.workload) else { throw BenchError("\(step.workload) is no mix") }
        try warm()
        let threads = step.threads
        let operations = mix.scanPercent > 0 ? max(threads, reads / 10) : reads
        let generation = contents.generations.upperBound + 1
        let counts = YCSBCounts(items: contents.count)
        let worker = YCSBWorker(
            mix: mix, contents: contents, generation: generation, zipfian: Zipfian(count: contents.count),
            values: values, keyBytes: keyBytes, seed: mixed(seed &+ generation), isAlone: threads == 1, counts: counts)
        var (row, recorders, start) = try measure(step, operations: operations) { index, session, began in
            try worker.run(Workbench.share(index, of: threads, operations), session, began)
        }
        row.timeline = ResultTimeline(recorders)
        if mix.writesAnything {
            contents.generations = contents.generations.lowerBound...generation
            contents.count = counts.items.load(ordering: .acquiring)
            let written = counts.writes.load(ordering: .acquiring)
            try settle(&row, since: start, userBytes: written * entryBytes, liveBytes: liveBytes)
            try verify()
        }
        try emit(row)
    }
}

final class YCSBCounts: Sendable {
    let items: Atomic<Int>
    let writes = Atomic<Int>(0)

    init(items: Int) { self.items = Atomic(items) }
}

/// The data that the threads of a mix share.
struct YCSBWorker: Sendable {
    let mix: YCSBMix
    /// The contents at the beginning.
    let contents: Contents
    let generation: UInt64
    let zipfian: Zipfian
    let values: ValuePool
    let keyBytes: Int
    let seed: UInt64
    let isAlone: Bool
    let counts: YCSBCounts

    private var generations: ClosedRange<UInt64> { contents.generations.lowerBound...generation }

    func run(_ positions: Range<Int>, _ session: any PeerSession, _ began: UInt64) throws -> LatencyRecorder {
        var key = KeyBuffer(byteCount: keyBytes)
        var recorder = LatencyRecorder(began: began)
        for position in positions {
            let random = mixed(seed &+ UInt64(truncatingIfNeeded: position) &* 0x9e37_79b9_7f4a_7c15)
            var percent = Int(random % 100)
            if percent < mix.insertPercent {
                try insert(session, &key)
            } else {
                percent -= mix.insertPercent
                let item = choose(mixed(random))
                key.set(contents.key(item))
                if percent < mix.scanPercent {
                    try scan(session, &key, &recorder, steps: 1 + Int(random &>> 32) % YCSBMix.scanMax)
                } else if percent < mix.updatePercent {
                    try update(session, key, item)
                } else {
                    try read(session, key, item, isChecked: position & 15 == 0, &recorder)
                    if percent < mix.modifyPercent { try update(session, key, item) }
                }
            }
            recorder.finish()
        }
        return recorder
    }

    private func choose(_ random: UInt64) -> Int {
        switch mix.choice {
        case .zipfian: zipfian.scrambled(random)
        case .latest: max(0, counts.items.load(ordering: .acquiring) - 1 - zipfian.rank(random))
        case .uniform: pick(random, below: contents.count)
        }
    }

    private func insert(_ session: any PeerSession, _ key: inout KeyBuffer) throws {
        let item = counts.items.add(1, ordering: .acquiringAndReleasing).oldValue
        key.set(contents.key(item))
        try update(session, key, item)
    }

    private func update(_ session: any PeerSession, _ key: borrowing KeyBuffer, _ item: Int) throws {
        counts.writes.add(1, ordering: .relaxed)
        try session.put(values.value(contents.key(item), generation), forKey: key.span)
    }

    private func read(
        _ session: any PeerSession, _ key: borrowing KeyBuffer, _ item: Int, isChecked: Bool,
        _ recorder: inout LatencyRecorder
    ) throws {
        var isRight = true
        let isThere = try session.get(key.span) { value in
            recorder.touch(value)
            if isChecked { isRight = values.matches(value, contents.key(item), generations) }
        }
        // Another thread may not have finished inserting one of the latest items.
        guard isRight, isThere || (!isAlone && item >= contents.count) else {
            throw BenchError.wrong("item \(item): \(isThere ? "value" : "missing")")
        }
    }

    private func scan(
        _ session: any PeerSession, _ key: inout KeyBuffer, _ recorder: inout LatencyRecorder, steps: Int
    ) throws {
        var taken = 0
        var isRight = true
        try session.scan(from: key.span, .forward) { found, value in
            recorder.touch(value)
            if taken == 0 { isRight = key.equals(found) }
            taken &+= 1
            return taken < steps
        }
        guard taken > 0, isRight else { throw BenchError.wrong("a scan") }
    }
}
