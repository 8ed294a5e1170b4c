import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The expected content of a store in the simplest form: every version of every key, and every watermark.
struct ModelOracle {
    struct Version: Equatable {
        var sequence: UInt64
        /// The value; `nil` for a delete.
        var value: ValuePool.Extent?
        var isPurgeable = false
        /// The expiry; `nil` for none.
        var expiry: Int64?

        var extent: ValuePool.Extent { value ?? ValuePool.Extent() }
    }

    struct Namespace {
        let id: NamespaceID
        /// The versions by rank of the key, then by ascending sequence.
        var versions: [[Version]]
        var truncations: [UInt64] = []
        var purges: [UInt64] = []
    }

    /// The sequence and time of a read.
    struct Moment: Equatable {
        var sequence: UInt64
        var milliseconds: Int64
    }

    /// The namespaces by slot; `nil` while the slot has none.
    var namespaces: [Namespace?]
    /// The last sequence used.
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

    /// Writes a version. `oldest` is the oldest sequence that later reads may use.
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

    /// Undoes everything after `sequence`. Nothing of it is an erasure, because erasures are durable when they return.
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

    /// Returns the visible version at `moment`: an independent formulation of the visibility rule.
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

    /// Returns true if a write or an erasure after `sequence` conflicts with a read of the key.
    func hasChanged(_ slot: Int, _ rank: Int, since sequence: UInt64) -> Bool {
        guard let namespace = namespaces[slot] else { return true }
        return isErased(slot, since: sequence) || (namespace.versions[rank].last?.sequence ?? 0) > sequence
    }

    func isErased(_ slot: Int, since sequence: UInt64) -> Bool {
        guard let namespace = namespaces[slot] else { return true }
        return max(namespace.truncations.last ?? 0, namespace.purges.last ?? 0) > sequence
    }
}

/// Comparisons that are also fast in debug builds, where loops over bytes are slow.
enum ByteComparison {
    static func areEqual(_ a: RawSpan, _ b: RawSpan) -> Bool {
        guard a.byteCount == b.byteCount else { return false }
        return unsafe a.withUnsafeBytes { a in
            unsafe b.withUnsafeBytes { b in
                guard let x = a.baseAddress, let y = b.baseAddress else { return true }
                return unsafe memcmp(x, y, a.count) == 0
            }
        }
    }

    static func precedes(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        let order = unsafe a.withUnsafeBytes { a in
            unsafe b.withUnsafeBytes { b in
                guard let x = a.baseAddress, let y = b.baseAddress else { return Int32(0) }
                return unsafe memcmp(x, y, min(a.count, b.count))
            }
        }
        return order != 0 ? order < 0 : a.count < b.count
    }
}
