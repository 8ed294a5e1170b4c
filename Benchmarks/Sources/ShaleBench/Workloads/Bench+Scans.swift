import ShaleEngine

/// readseq, readreverse: all entries by one cursor, an entry being an operation. seekrandom: a new cursor at a random
/// key and the next ten entries.
extension Bench {
    private static let seekSteps = 10

    func scan(_ order: ScanOrder) throws {
        try requireEntries()
        try store.settle()
        try store.warm()
        let target = try store.target
        let contents = store.contents
        let workload = order == .forward ? "readseq" : "readreverse"
        var row = try measure(workload, threads: 1, operations: contents.count, on: target) { _, began in
            try target.scan(order, contents.count, contents.generations, began)
        }
        row.tree = target.treeDescription
        row.isCached = target.isCacheable(in: cacheBytes)
        let codec = settings.compression == .lz4 ? "LZ4" : "zstd"
        let rate = settings.compression == .lz4 ? rooflines.decompression.lz4 : rooflines.decompression.zstd
        if settings.compression != .none {
            let perEntry = rate / Double(settings.entryBytes)
            row.compare(with: Row.Roofline(name: "\(codec) decompression of as many entries", perSecond: perEntry))
        }
        try report.add(row)
    }

    func seekRandomly() throws {
        try requireEntries()
        try store.settle()
        try store.warm()
        let target = try store.target
        let (contents, threads, seeks) = (store.contents, threads, max(1, reads / 4))
        let seed = settings.seed &+ 2
        var row = try measure("seekrandom", threads: threads, operations: seeks, on: target) { index, began in
            var recorder = LatencyRecorder(began: began)
            for position in Bench.share(index, of: threads, seeks) {
                let first = pick(seed &+ UInt64(truncatingIfNeeded: position), below: contents.count)
                try target.seek(first, steps: Bench.seekSteps, contents)
                recorder.finish()
            }
            return recorder
        }
        row.tree = target.treeDescription
        row.isCached = target.isCacheable(in: cacheBytes)
        row.note = "+ next \(Bench.seekSteps)"
        try report.add(row)
    }
}

extension Target {
    /// Keys are numbers, so the key of every position is known; every 16th entry is compared.
    fileprivate func scan(
        _ order: ScanOrder, _ count: Int, _ generations: ClosedRange<UInt64>, _ began: UInt64
    ) throws -> LatencyRecorder {
        var key = KeyBuffer(byteCount: keyBytes)
        var recorder = LatencyRecorder(began: began)
        var cursor = try engine.cursor(in: namespace, order: order)
        let isForward = order == .forward
        var position = 0
        while try cursor.next() {
            if position & 15 == 0 {
                let index = isForward ? position : count - 1 - position
                key.set(index)
                guard key.equals(cursor.key), values.matches(cursor.value, index, generations) else {
                    throw BenchError.wrong("entry \(index) in a scan")
                }
            }
            position &+= 1
            recorder.finish()
        }
        guard position == count else { throw BenchError.wrong("\(position) entries in a scan instead of \(count)") }
        return recorder
    }

    fileprivate func seek(_ first: Int, steps: Int, _ contents: BenchStore.Contents) throws {
        var key = KeyBuffer(byteCount: keyBytes)
        key.set(first)
        var cursor = try engine.cursor(over: KeyRange(lower: .included(key.array), upper: .unbounded), in: namespace)
        guard try cursor.next(), key.equals(cursor.key) else { throw BenchError.wrong("a seek to key \(first)") }
        var last = first
        for _ in 0..<steps where try cursor.next() { last &+= 1 }
        guard last == min(first + steps, contents.count - 1) else {
            throw BenchError.wrong("entries after key \(first)")
        }
        key.set(last)
        guard key.equals(cursor.key) || last == contents.count - 1 else { throw BenchError.wrong("key \(last)") }
    }
}
