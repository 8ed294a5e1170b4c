import Formatting
import Synchronization

/// readrandom, readmissing, readhot, multireadrandom: random keys, with replacement.
extension Workbench {
    static let groupKeys = 32

    /// The number of random reads of a workload: as many as a steady figure needs.
    var reads: Int { min(entries, assignment.operationsMax) }

    func readRandomly(_ step: Assignment.Step) throws {
        try warm()
        let (contents, threads, reads) = (contents, step.threads, reads)
        let isMissing = step.workload == .readmissing
        let range = step.workload == .readhot ? (contents.count + 99) / 100 : contents.count
        let reader = PointReader(
            contents: contents, range: range, values: values, keyBytes: keyBytes, seed: seed &+ 1)
        let (row, _, _) = try measure(step, operations: reads) { index, session, began in
            let share = Workbench.share(index, of: threads, reads)
            return isMissing ? try reader.miss(share, session, began) : try reader.hit(share, session, began)
        }
        try emit(row)
    }

    /// Reads groups of keys. A group is one operation in the latencies, and one operation per key in the rate.
    func readInGroups(_ step: Assignment.Step) throws {
        try warm()
        let (contents, threads, values, keyBytes) = (contents, step.threads, values, keyBytes)
        let groups = max(threads, reads / Workbench.groupKeys)
        let seed = seed &+ 4
        var (row, _, _) = try measure(step, operations: groups * Workbench.groupKeys) { index, session, began in
            let keys = KeyGroup(count: Workbench.groupKeys, keyBytes: keyBytes)
            var items = [Int](repeating: 0, count: Workbench.groupKeys)
            var key = KeyBuffer(byteCount: keyBytes)
            var recorder = LatencyRecorder(began: began)
            for group in Workbench.share(index, of: threads, groups) {
                for place in 0..<Workbench.groupKeys {
                    let number = UInt64(truncatingIfNeeded: group &* Workbench.groupKeys &+ place)
                    items[place] = pick(seed &+ number, below: contents.count)
                    key.set(contents.key(items[place]))
                    keys.set(place, key.span)
                }
                var found = 0
                var isRight = true
                try session.multiget(keys) { place, value in
                    found += 1
                    recorder.touch(value)
                    if place & 15 == 0 {
                        let isSame = values.matches(value, contents.key(items[place]), contents.generations)
                        isRight = isRight && isSame
                    }
                }
                guard found == Workbench.groupKeys, isRight else { throw BenchError.wrong("a group of keys") }
                recorder.finish(entries: Workbench.groupKeys)
            }
            return recorder
        }
        row.note = "groups of \(Workbench.groupKeys) keys; latencies are of groups"
        try emit(row)
    }
}

/// The reads of one thread, each of which is checked.
struct PointReader: Sendable {
    let contents: Contents
    /// The reads use items 0 ..< range.
    let range: Int
    let values: ValuePool
    let keyBytes: Int
    let seed: UInt64

    /// Reads existing keys. Every key must be there; every 16th value is compared.
    func hit(_ positions: Range<Int>, _ session: any PeerSession, _ began: UInt64) throws -> LatencyRecorder {
        var key = KeyBuffer(byteCount: keyBytes)
        var recorder = LatencyRecorder(began: began)
        for position in positions {
            let index = contents.key(pick(seed &+ UInt64(truncatingIfNeeded: position), below: range))
            key.set(index)
            var isRight = true
            let isThere = try session.get(key.span) { value in
                recorder.touch(value)
                if position & 15 == 0 { isRight = values.matches(value, index, contents.generations) }
            }
            guard isThere, isRight else { throw BenchError.wrong("key \(index): \(isThere ? "value" : "missing")") }
            recorder.finish()
        }
        return recorder
    }

    /// Reads missing keys. No key may be there.
    func miss(_ positions: Range<Int>, _ session: any PeerSession, _ began: UInt64) throws -> LatencyRecorder {
        var key = KeyBuffer(byteCount: keyBytes)
        var recorder = LatencyRecorder(began: began)
        for position in positions {
            key.setMissing(contents.key(pick(seed &+ UInt64(truncatingIfNeeded: position), below: range)))
            guard try !session.get(key.span, { _ in }) else {
                throw BenchError.wrong("a key that was never written is there")
            }
            recorder.finish()
        }
        return recorder
    }
}

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
