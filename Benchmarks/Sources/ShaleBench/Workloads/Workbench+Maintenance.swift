import Posix
import ShaleEngine

/// deleterandom, compact, purge, drop.
extension Workbench {
    func deleteRandomly(_ step: Assignment.Step) throws {
        let (count, threads, keyBytes) = (contents.count, step.threads, keyBytes)
        let order = Permutation(count: count, seed: seed &+ 5)
        var (row, recorders, start) = try measure(step, operations: count) { index, session, began in
            var key = KeyBuffer(byteCount: keyBytes)
            var recorder = LatencyRecorder(began: began)
            for position in Workbench.share(index, of: threads, count) {
                key.set(order[position])
                try session.delete(key.span)
                recorder.finish()
            }
            return recorder
        }
        row.timeline = ResultTimeline(recorders)
        contents = Contents()
        try settle(&row, since: start, userBytes: 0, liveBytes: liveBytes)
        try verify()
        try emit(row)
    }

    func compact(_ step: Assignment.Step) throws {
        try settle()
        let bytesBefore = Int(try DirectorySize(of: assignment.directory).allocatedBytes)
        var isCompacted = false
        var (row, start) = try measureStep(step.workload) { isCompacted = try peer.compact() }
        contents.after = "compact"
        guard isCompacted else { return }
        try settle(&row, since: start, userBytes: 0, liveBytes: liveBytes)
        row.diskBytes = bytesBefore
        try verify()
        try emit(row)
    }

    func drop(_ step: Assignment.Step) throws {
        try fillForErasure { session, key, value, _ in try session.put(value, forKey: key) }
        let bytesBefore = Int(try DirectorySize(of: assignment.directory).allocatedBytes)
        var (row, start) = try measureStep(step.workload) { try peer.erase() }
        try finishErasure(&row, start, bytesBefore, left: 0)
    }

    /// Measures a purge; every second key is purgeable.
    func purge(_ step: Assignment.Step) throws {
        guard let peer = peer as? ShalePeer else { return }
        try fillForErasure { _, key, value, item in
            let (engine, namespace) = try peer.target
            try engine.put(value, forKey: key, in: namespace, options: PutOptions(isPurgeable: item & 1 == 1))
        }
        let bytesBefore = Int(try DirectorySize(of: assignment.directory).allocatedBytes)
        let (engine, namespace) = try peer.target
        var (row, start) = try measureStep(step.workload) { try engine.purge([namespace]) }
        try finishErasure(&row, start, bytesBefore, left: (entries + 1) / 2)
    }

    private func fillForErasure(
        _ put: (any PeerSession, RawSpan, RawSpan, Int) throws -> Void
    ) throws {
        try reset()
        let session = try peer.session(isSynced: false)
        let order = Permutation(count: entries, seed: seed)
        var key = KeyBuffer(byteCount: keyBytes)
        for position in 0..<entries {
            let item = order[position]
            key.set(item)
            try put(session, key.span, values.value(item, 0), item)
        }
        try settle()
    }

    private func finishErasure(
        _ row: inout ResultRow, _ start: Start, _ bytesBefore: Int, left: Int
    ) throws {
        try settle(&row, since: start, userBytes: 0, liveBytes: liveBytes)
        row.diskBytes = bytesBefore
        var count = 0
        try peer.session(isSynced: false).scan(from: RawSpan(), .forward) { _, _ in
            count += 1
            return true
        }
        guard count == left else { throw BenchError.wrong("\(count) entries instead of \(left) after an erasure") }
        contents = Contents()
        try emit(row)
        try reset()
    }
}
