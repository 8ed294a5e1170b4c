import ShaleBase
import ShaleEngine

extension Model {
    /// Reads and writes in a transaction, while other writes happen. The commit must fail exactly if they conflict.
    func transaction() throws {
        let moment = oracle.now
        transactionMoment = moment.sequence
        defer { transactionMoment = nil }
        let slot = try anySlot()
        let namespace = try id(slot)
        var script = TransactionScript()
        var problem: (any Error)?
        let durability = anyDurability
        do {
            try engine.transaction(attempts: 1, durability: durability) { (transaction) throws(StorageError) in
                do {
                    for _ in 0..<(1 + random.below(5)) {
                        try act(transaction, slot, namespace, moment, &script)
                        if random.below(4) == 0 { try disturb(slot, script) }
                    }
                } catch let error as StorageError {
                    throw error
                } catch {
                    problem = error
                }
            }
            if let problem { throw problem }
            coverage.commits += 1
            if isConflict(slot, script, moment) {
                throw failure("a transaction overlooked a conflict: \(changes(slot, script, moment))")
            }
            let oldest = oldestNeeded
            for (rank, version) in script.written { oracle.write(slot, rank, version, oldest: oldest) }
            wrote(script.written.isEmpty ? nil : durability)
        } catch let error as StorageError {
            if let problem { throw problem }
            guard error.code == .conflict else { throw error }
            coverage.conflicts += 1
            guard isConflict(slot, script, moment) else { throw failure("a transaction met a conflict that is none") }
        }
    }

    struct TransactionScript {
        var readRanks: [Int] = []
        var readRanges: [KeyRange] = []
        var written: [(rank: Int, version: ModelOracle.Version)] = []
    }

    private func act(
        _ transaction: Engine.Transaction, _ slot: Int, _ namespace: NamespaceID, _ moment: ModelOracle.Moment,
        _ script: inout TransactionScript
    ) throws {
        let rank = anyRank
        let key = universe.keys[rank]
        switch random.below(10) {
        case 0..<4:
            var expected = oracle.find(slot, rank, at: moment)?.value
            if let own = script.written.last(where: { $0.rank == rank }) {
                expected = present(own.version)
            } else {
                script.readRanks.append(rank)
            }
            let found = try transaction.value(forKey: key, in: namespace)
            guard found == expected.map({ Array(pool.bytes[$0.range]) }) else {
                throw failure("a transaction reads another value for \(name(rank))")
            }
        case 4:
            let range = anyRange()
            let order = random.below(2) == 0 ? ScanOrder.forward : .reversed
            let limit = random.below(20)
            let expected = ranks(slot, range, order, moment, script).prefix(limit).map { universe.keys[$0] }
            let found = try transaction.entries(over: range, in: namespace, order: order, limit: limit).map(\.key)
            guard found == expected else { throw failure("a transaction reads other entries in \(range) \(order)") }
            // A scan that its limit ended has read up to the last entry.
            if found.count < limit {
                script.readRanges.append(range)
            } else if let last = found.last {
                script.readRanges.append(
                    order == .forward
                        ? KeyRange(lower: range.lower, upper: .included(last))
                        : KeyRange(lower: .included(last), upper: range.upper))
            }
        case 5..<9:
            let version = anyVersion()
            let value = version.value.map { Array(pool.bytes[$0.range]) } ?? []
            try transaction.put(value, forKey: key, in: namespace, options: putOptions(version))
            script.written.append((rank, version))
        default:
            try transaction.delete(key, in: namespace)
            script.written.append((rank, ModelOracle.Version(sequence: 0)))
        }
    }

    /// Returns the value of an own write; `nil` for a removal and for an entry that has expired.
    private func present(_ version: ModelOracle.Version) -> ValuePool.Extent? {
        if let expiry = version.expiry, expiry <= oracle.milliseconds { return nil }
        return version.value
    }

    /// Returns the ranks that a transaction's scan finds: the stored ones of its moment, changed by its own writes.
    private func ranks(
        _ slot: Int, _ range: KeyRange, _ order: ScanOrder, _ moment: ModelOracle.Moment, _ script: TransactionScript
    ) -> [Int] {
        var found = Set(expectation(slot, range, .forward, moment).map(\.rank))
        let inside = Set(ranks(range))
        for (rank, version) in script.written where inside.contains(rank) {
            if present(version) == nil { found.remove(rank) } else { found.insert(rank) }
        }
        return order == .forward ? found.sorted() : found.sorted(by: >)
    }

    private func disturb(_ slot: Int, _ script: TransactionScript) throws {
        switch random.below(12) {
        case 0: try engine.flush()
        case 1: try erase(random.below(3) == 0 ? .truncate : .purge)
        case 2: if random.below(10) == 0 { try engine.compact() }
        case 3..<6:
            guard let rank = script.readRanks.last else { return }
            if random.below(2) == 0 { try put(slot, rank, anyVersion()) } else { try delete(slot, rank) }
        case 6..<9: try put()
        default: try get()
        }
    }

    /// Describes the keys that were read and have changed since, for messages.
    private func changes(_ slot: Int, _ script: TransactionScript, _ moment: ModelOracle.Moment) -> String {
        let read = script.readRanks + script.readRanges.flatMap { Array(ranks($0)) }
        let keys = Set(read).filter { oracle.hasChanged(slot, $0, since: moment.sequence) }.sorted().map { rank in
            let versions = oracle.namespaces[slot]?.versions[rank] ?? []
            return "\(name(rank)) \(versions.suffix(4))"
        }
        let isErased = oracle.isErased(slot, since: moment.sequence)
        return "moment=\(moment) erased=\(isErased) \(keys.joined(separator: "; "))"
    }

    private func isConflict(_ slot: Int, _ script: TransactionScript, _ moment: ModelOracle.Moment) -> Bool {
        guard !script.written.isEmpty else { return false }
        if !script.readRanks.isEmpty || !script.readRanges.isEmpty, oracle.isErased(slot, since: moment.sequence) {
            return true
        }
        return script.readRanks.contains { oracle.hasChanged(slot, $0, since: moment.sequence) }
            || script.readRanges.contains {
                ranks($0).contains { oracle.hasChanged(slot, $0, since: moment.sequence) }
            }
    }
}
