import ShaleBase

/// What a store should hold, kept in the simplest way: every version of every key, and every watermark.
struct ModelOracle {
    struct Version: Equatable {
        var sequence: UInt64
        /// nil for a delete.
        var value: ValuePool.Place?
        var isPurgeable = false
        /// nil: never.
        var expiry: Int64?

        var place: ValuePool.Place { value ?? ValuePool.Place() }
    }

    struct Namespace {
        let id: NamespaceID
        /// By rank of the key, then rising in sequence.
        var versions: [[Version]]
        var truncations: [UInt64] = []
        var purges: [UInt64] = []
    }

    /// Who looks.
    struct Moment: Equatable {
        var sequence: UInt64
        var milliseconds: Int64
    }

    /// By slot; nil while there is no such namespace.
    var namespaces: [Namespace?]
    /// The last sequence given out.
    var sequence: UInt64 = 0
    var milliseconds: Int64
    let keyCount: Int

    init(slots: Int, keyCount: Int, milliseconds: Int64) {
        namespaces = Array(repeating: nil, count: slots)
        self.keyCount = keyCount
        self.milliseconds = milliseconds
    }

    var now: Moment { Moment(sequence: sequence, milliseconds: milliseconds) }

    // MARK: Changes

    mutating func create(_ slot: Int, _ id: NamespaceID) {
        namespaces[slot] = Namespace(id: id, versions: Array(repeating: [], count: keyCount))
    }

    /// `oldest` is the oldest sequence that will be asked for.
    mutating func write(_ slot: Int, _ rank: Int, _ version: Version, oldest: UInt64) {
        sequence += 1
        var fresh = version
        fresh.sequence = sequence
        namespaces[slot]?.versions[rank].append(fresh)
        if let count = namespaces[slot]?.versions[rank].count, count > 12, count.isMultiple(of: 8) {
            prune(slot, rank, oldest)
        }
    }

    private mutating func prune(_ slot: Int, _ rank: Int, _ oldest: UInt64) {
        guard let keep = namespaces[slot]?.versions[rank].lastIndex(where: { $0.sequence <= oldest }), keep > 0 else {
            return
        }
        namespaces[slot]?.versions[rank].removeFirst(keep)
    }

    mutating func purge(_ slots: [Int]) {
        sequence += 1
        for slot in slots { namespaces[slot]?.purges.append(sequence) }
    }

    mutating func truncate(_ slots: [Int]) {
        sequence += 1
        for slot in slots { namespaces[slot]?.truncations.append(sequence) }
    }

    mutating func drop(_ slots: [Int]) {
        sequence += 1
        for slot in slots { namespaces[slot] = nil }
    }

    /// Everything after `sequence` never happened. Nothing of it was an erasure: those are durable when they return.
    mutating func rollBack(to sequence: UInt64) {
        self.sequence = sequence
        for slot in namespaces.indices where namespaces[slot] != nil {
            for rank in 0..<keyCount {
                guard let last = namespaces[slot]?.versions[rank].last, last.sequence > sequence else { continue }
                namespaces[slot]?.versions[rank].removeAll { $0.sequence > sequence }
            }
        }
    }

    // MARK: Reads

    /// What is there for who looks at `moment`: the visibility rule in its own words.
    func find(_ slot: Int, _ rank: Int, at moment: Moment) -> Version? {
        guard let namespace = namespaces[slot] else { return nil }
        guard let newest = namespace.versions[rank].last(where: { $0.sequence <= moment.sequence }),
            newest.value != nil
        else { return nil }
        if let mark = namespace.truncations.last(where: { $0 <= moment.sequence }), newest.sequence <= mark {
            return nil
        }
        if newest.isPurgeable, let mark = namespace.purges.last(where: { $0 <= moment.sequence }),
            newest.sequence <= mark
        {
            return nil
        }
        if let expiry = newest.expiry, expiry <= moment.milliseconds { return nil }
        return newest
    }

    /// Whether anything was written or erased after `sequence` that a reader of the key must hear of.
    func hasChanged(_ slot: Int, _ rank: Int, since sequence: UInt64) -> Bool {
        guard let namespace = namespaces[slot] else { return true }
        return isErased(slot, since: sequence) || (namespace.versions[rank].last?.sequence ?? 0) > sequence
    }

    func isErased(_ slot: Int, since sequence: UInt64) -> Bool {
        guard let namespace = namespaces[slot] else { return true }
        return max(namespace.truncations.last ?? 0, namespace.purges.last ?? 0) > sequence
    }
}
