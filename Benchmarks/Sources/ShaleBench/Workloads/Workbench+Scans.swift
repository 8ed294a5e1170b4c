/// readseq, readreverse: all entries through one cursor, with an entry as an operation. seekrandom: a new cursor at a
/// random key and the next ten entries.
extension Workbench {
    private static let seekSteps = 10

    /// The number of entries per latency sample: reading the clock costs as much as a step.
    private static let scanStride = 64

    func scan(_ step: Assignment.Step, _ direction: ScanDirection) throws {
        try warm()
        let (contents, values, keyBytes) = (contents, values, keyBytes)
        let stride = Workbench.scanStride
        var (row, _, _) = try measure(step, operations: contents.count, threads: 1) { _, session, began in
            var key = KeyBuffer(byteCount: keyBytes)
            var recorder = LatencyRecorder(began: began)
            var position = 0
            try session.scan(from: RawSpan(), direction) { found, value in
                recorder.touch(value)
                if position & 15 == 0 {
                    let index = direction == .forward ? position : contents.count - 1 - position
                    key.set(index)
                    guard key.equals(found), values.matches(value, index, contents.generations) else {
                        throw BenchError.wrong("entry \(index) in a scan")
                    }
                }
                position &+= 1
                if position % stride == 0 { recorder.finish(entries: stride) }
                return true
            }
            guard position == contents.count else {
                throw BenchError.wrong("\(position) entries in a scan instead of \(contents.count)")
            }
            return recorder
        }
        row.note = "latencies are of \(stride) entries"
        try emit(row)
    }

    func seekRandomly(_ step: Assignment.Step) throws {
        try warm()
        let (contents, threads, keyBytes) = (contents, step.threads, keyBytes)
        let seeks = max(1, reads / 4)
        let seed = seed &+ 2
        var (row, _, _) = try measure(step, operations: seeks) { index, session, began in
            var key = KeyBuffer(byteCount: keyBytes)
            var lastKey = KeyBuffer(byteCount: keyBytes)
            var recorder = LatencyRecorder(began: began)
            for position in Workbench.share(index, of: threads, seeks) {
                let first = pick(seed &+ UInt64(truncatingIfNeeded: position), below: contents.count)
                let steps = min(Workbench.seekSteps, contents.count - 1 - first)
                var taken = 0
                var isRight = true
                key.set(first)
                lastKey.set(first + steps)
                // Both ends are checked; the entries between are only touched.
                try session.scan(from: key.span, .forward) { found, value in
                    recorder.touch(value)
                    if taken == 0 { isRight = key.equals(found) }
                    guard taken < steps else {
                        isRight = isRight && lastKey.equals(found)
                        return false
                    }
                    taken &+= 1
                    return true
                }
                guard taken == steps, isRight else { throw BenchError.wrong("a seek to key \(first)") }
                recorder.finish()
            }
            return recorder
        }
        row.note = "+ next \(Workbench.seekSteps)"
        try emit(row)
    }
}
