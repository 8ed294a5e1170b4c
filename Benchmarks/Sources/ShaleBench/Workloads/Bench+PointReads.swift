import ShaleEngine

/// readrandom, readmissing, readhot: one key at a time, with replacement.
extension Bench {
    enum PointReads: String, Sendable {
        case all = "readrandom"
        case missing = "readmissing"
        /// The first hundredth of the keys.
        case hot = "readhot"
    }

    func readRandomly(_ kind: PointReads) throws {
        try requireEntries()
        try store.settle()
        try store.warm()
        let target = try store.target
        let (contents, threads, reads) = (store.contents, threads, reads)
        let seed = settings.seed &+ 1
        let range = kind == .hot ? (contents.count + 99) / 100 : contents.count
        var row = try measure(kind.rawValue, threads: threads, operations: reads, on: target) { index, began in
            let share = Bench.share(index, of: threads, reads)
            let reader = PointReader(target: target, range: range, generations: contents.generations, seed: seed)
            return kind == .missing ? try reader.miss(share, began) : try reader.hit(share, began)
        }
        row.tree = target.treeDescription
        row.isCached = target.isCacheable(in: cacheBytes)
        try report.add(row)
    }
}

/// One thread's reads.
struct PointReader {
    let target: Target
    /// Keys 0 ..< range are read.
    let range: Int
    let generations: ClosedRange<UInt64>
    let seed: UInt64

    /// Every key must be there; every 16th value is compared.
    func hit(_ positions: Range<Int>, _ began: UInt64) throws -> LatencyRecorder {
        var key = KeyBuffer(byteCount: target.keyBytes)
        var recorder = LatencyRecorder(began: began)
        for position in positions {
            let index = pick(seed &+ UInt64(truncatingIfNeeded: position), below: range)
            key.set(index)
            let isRight = try target.engine.withValue(forKey: key.span, in: target.namespace) { value in
                position & 15 != 0 || target.values.matches(value, index, generations)
            }
            guard isRight == true else {
                throw BenchError.wrong("key \(index): \(isRight == nil ? "missing" : "value")")
            }
            recorder.finish()
        }
        return recorder
    }

    /// No key may be there.
    func miss(_ positions: Range<Int>, _ began: UInt64) throws -> LatencyRecorder {
        var key = KeyBuffer(byteCount: target.keyBytes)
        var recorder = LatencyRecorder(began: began)
        for position in positions {
            let index = pick(seed &+ UInt64(truncatingIfNeeded: position), below: range)
            key.setMissing(index)
            guard try target.engine.withValue(forKey: key.span, in: target.namespace, { _ in }) == nil else {
                throw BenchError.wrong("a key that was never written is there")
            }
            recorder.finish()
        }
        return recorder
    }
}
