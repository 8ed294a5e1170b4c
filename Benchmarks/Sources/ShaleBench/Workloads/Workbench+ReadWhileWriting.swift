import Formatting
import Synchronization

/// readwhilewriting: random reads beside one thread that overwrites at full speed. The row counts the reads; its
/// threads are the readers.
extension Workbench {
    func readWhileWriting(_ step: Assignment.Step) throws {
        try warm()
        let (readers, count, values, keyBytes) = (step.threads, contents.count, values, keyBytes)
        let reads = max(readers, reads / 2)
        let generation = contents.generations.upperBound + 1
        contents.generations = contents.generations.lowerBound...generation
        let order = Permutation(count: count, seed: seed &+ generation)
        let reader = PointReader(
            contents: contents, range: count, values: values, keyBytes: keyBytes, seed: seed &+ 3)
        let shared = SharedCounts(readers: readers)
        var (row, recorders, start) = try measure(step, operations: reads, threads: readers + 1) {
            index, session, began in
            guard index == readers else {
                defer { shared.readersLeft.subtract(1, ordering: .releasing) }
                return try reader.hit(Workbench.share(index, of: readers, reads), session, began)
            }
            var key = KeyBuffer(byteCount: keyBytes)
            var written = 0
            while shared.readersLeft.load(ordering: .acquiring) > 0 {
                let index = order[written % count]
                key.set(index)
                try session.put(values.value(index, generation), forKey: key.span)
                written += 1
            }
            shared.written.store(written, ordering: .releasing)
            return LatencyRecorder(began: began)
        }
        let written = shared.written.load(ordering: .acquiring)
        row.timeline = ResultTimeline(recorders)
        row.note = "writer \(Format.grouped(Double(written) / row.seconds))/s beside \(readers) reading"
        try settle(&row, since: start, userBytes: written * entryBytes, liveBytes: liveBytes)
        try verify()
        try emit(row)
    }
}

private final class SharedCounts: Sendable {
    let readersLeft: Atomic<Int>
    let written = Atomic<Int>(0)

    init(readers: Int) { readersLeft = Atomic(readers) }
}
