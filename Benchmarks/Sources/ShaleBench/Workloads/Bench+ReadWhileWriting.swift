import ShaleEngine
import Synchronization

/// readwhilewriting: random reads beside one thread that overwrites at full speed. The row counts the reads.
extension Bench {
    func readWhileWriting() throws {
        try requireEntries()
        try store.settle()
        try store.warm()
        let target = try store.target
        let (contents, threads, entries) = (store.contents, threads, entries)
        let reads = max(threads, reads / 2)
        let generation = contents.generations.upperBound + 1
        store.contents.generations = contents.generations.lowerBound...generation
        let generations = store.contents.generations
        let order = FillOrder.shuffled(Permutation(count: entries, seed: settings.seed &+ generation))
        let before = target.engine.statistics
        let readersLeft = ReadersLeft(threads)
        let seed = settings.seed &+ 3
        var row = try measure("readwhilewriting", threads: threads + 1, operations: reads, on: target) { index, began in
            guard index < threads else {
                return try target.writeUntilRead(order, entries, generation, readersLeft, began)
            }
            defer { readersLeft.count.subtract(1, ordering: .releasing) }
            let reader = PointReader(target: target, range: contents.count, generations: generations, seed: seed)
            return try reader.hit(Bench.share(index, of: threads, reads), began)
        }
        let writes = (target.engine.statistics - before).operations
        row.note = "writer \(Format.grouped(Double(writes) / row.seconds))/s beside \(threads) reading"
        try settle(&row, since: before)
        try store.verify()
        try report.add(row)
    }
}

private final class ReadersLeft: Sendable {
    let count: Atomic<Int>
    init(_ count: Int) { self.count = Atomic(count) }
}

extension Target {
    /// Its latencies are not the row's, so an empty recorder is returned.
    fileprivate func writeUntilRead(
        _ order: FillOrder, _ count: Int, _ generation: UInt64, _ readersLeft: ReadersLeft, _ began: UInt64
    ) throws -> LatencyRecorder {
        var key = KeyBuffer(byteCount: keyBytes)
        var position = 0
        while readersLeft.count.load(ordering: .acquiring) > 0 {
            let index = order[position]
            key.set(index)
            try engine.put(values.value(index, generation), forKey: key.span, in: namespace, durability: .buffered)
            position = position + 1 == count ? 0 : position + 1
        }
        return LatencyRecorder(began: began)
    }
}
