import Shale
import ShaleBase

/// A record that waits for those before it in the order.
private struct WaitingRecord<Record: Sendable> {
    let key: [UInt8]
    let record: Record
    let place: SortKey
    let hint: [UInt8]
}

/// Records in the order of a query.
extension QueryRun {
    /// A sorted query that needs only the first records forgets the others whenever it holds twice as many.
    private static let excess = 2

    /// Calls `body` with the records, in the wanted order, until it returns false. `limit` is the number that `body`
    /// will take at most.
    func forEach<Record: Codable & Sendable>(
        _ type: Record.Type, at moment: borrowing some ReadMoment & ~Copyable, limit: Int,
        _ body: (QueryMatch) throws(StorageError) -> Bool
    ) throws(StorageError) {
        guard limit > 0 else { return }
        wanted = plan.stream == nil ? .max : limit
        if let stream = plan.stream { return try streamed(type, at: moment, stream, body) }
        var waiting: [WaitingRecord<Record>] = []
        try walk(at: moment, isReversed: false) { (match) throws(StorageError) in
            waiting.append(wait(match))
            if limit < Int.max / QueryRun.excess, waiting.count >= max(1024, limit * QueryRun.excess) {
                waiting.sort { $0.place < $1.place }
                waiting.removeLast(waiting.count - limit)
            }
            return true
        }
        _ = try deliver(waiting, body)
    }

    /// Delivers records in the order of the path. Records whose values were cut at the same place in the index are
    /// neighbours, and are sorted among themselves.
    private func streamed<Record: Codable & Sendable>(
        _ type: Record.Type, at moment: borrowing some ReadMoment & ~Copyable, _ stream: StreamOrder,
        _ body: (QueryMatch) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var group: [WaitingRecord<Record>] = []
        var groupStart: [UInt8]?
        var isStopped = false
        func flush() throws(StorageError) {
            if !group.isEmpty, !isStopped { isStopped = !(try deliver(group, body)) }
            group.removeAll()
            groupStart = nil
        }
        @inline(never)
        func takeCut(_ match: QueryMatch) throws(StorageError) -> Bool {
            let cut = match.cut
            if cut != groupStart { try flush() }
            guard !isStopped else { return false }
            guard cut != nil else {
                isStopped = !(try body(match))
                return !isStopped
            }
            groupStart = cut
            group.append(wait(match))
            return true
        }
        try walk(at: moment, isReversed: stream.isReversed) { (match) throws(StorageError) in
            // Most values are not cut, and need no types of a group from the runtime.
            if !match.isCut, groupStart == nil { return try body(match) }
            return try takeCut(match)
        }
        try flush()
    }

    private func wait<Record: Codable & Sendable>(_ match: QueryMatch) -> WaitingRecord<Record> {
        let key = match.key
        let place = place(of: match.record, key)
        return WaitingRecord(key: key, record: take(match, as: Record.self), place: place, hint: match.hint)
    }

    /// Sorts records and passes them to `body` until it returns false, which is the result then.
    private func deliver<Record: Sendable>(
        _ waiting: [WaitingRecord<Record>], _ body: (QueryMatch) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        for waiting in waiting.sorted(by: { $0.place < $1.place }) {
            let goesOn = try RecordAddress.with(of: waiting.record) { (record) throws(StorageError) in
                try waiting.key.withBytes { (key) throws(StorageError) in
                    try waiting.hint.withBytes { (hint) throws(StorageError) in
                        try body(QueryMatch(record, key, hint: hint))
                    }
                }
            }
            guard goesOn else { return false }
        }
        return true
    }
}
