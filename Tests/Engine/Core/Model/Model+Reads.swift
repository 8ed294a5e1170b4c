import ShaleBase
import ShaleEngine

extension Model {
    func get() throws {
        let slot = try anySlot()
        let (moment, snapshot) = anyMoment()
        try compare(slot, anyRank, moment, snapshot)
    }

    func compare(_ slot: Int, _ rank: Int, _ moment: ModelOracle.Moment, _ snapshot: Engine.Snapshot?) throws {
        let expected = oracle.find(slot, rank, at: moment)
        let key = universe.keys[rank]
        let found = try unsafe engine.withValue(forKey: key.span.bytes, in: id(slot), at: snapshot) {
            [pool] (found) in
            (isEqual: expected?.value.map { pool.isEqual(found, $0) } ?? false, byteCount: found.byteCount)
        }
        let isEqual = found?.isEqual
        digest.combine(found?.byteCount)
        if isEqual ?? (expected == nil) { return }
        throw failure(
            "\(isEqual == nil ? "nothing" : "another value") for \(name(rank)) in slot \(slot) at \(moment), "
                + "snapshot=\(snapshot != nil), expected \(String(describing: expected)), versions "
                + "\(oracle.namespaces[slot]?.versions[rank] ?? []), purges \(oracle.namespaces[slot]?.purges ?? []), "
                + "truncations \(oracle.namespaces[slot]?.truncations ?? [])"
        )
    }

    func getSeveral() throws {
        let slot = try anySlot()
        let (moment, snapshot) = anyMoment()
        let ranks = (0..<random.below(8)).map { _ in anyRank }
        let values = try engine.values(forKeys: ranks.map { universe.keys[$0] }, in: id(slot), at: snapshot)
        for (rank, value) in zip(ranks, values) {
            let expected = oracle.find(slot, rank, at: moment)?.value.map { Array(pool.bytes[$0.range]) }
            guard value == expected else { throw failure("several: another value for \(name(rank))") }
            digest.combine(value)
        }
    }

    func getInfo() throws {
        let slot = try anySlot()
        let rank = anyRank
        let (moment, snapshot) = anyMoment()
        let expected = oracle.find(slot, rank, at: moment)
        let key = universe.keys[rank]
        let info = try unsafe engine.info(forKey: key.span.bytes, in: id(slot), at: snapshot)
        guard info?.valueByteCount == expected?.value.map({ Int($0.count) }),
            info?.isPurgeable == expected?.isPurgeable, info?.expiresAtMilliseconds == expected?.expiry,
            try unsafe engine.contains(key: key.span.bytes, in: id(slot), at: snapshot) == (expected != nil)
        else { throw failure("another info for \(name(rank))") }
        digest.combine(info?.expiresAtMilliseconds)
    }

    // MARK: Scans

    /// Returns a random range: with bounds on keys, beside keys, open, crossed, or by prefix.
    func anyRange() -> KeyRange {
        func key() -> [UInt8] {
            var key = universe.keys[anyRank]
            switch random.below(8) {
            case 0: key.append(0)
            case 1: key = Array(key.dropLast())
            case 2: key.append(UInt8(truncatingIfNeeded: random.next()))
            default: break
            }
            return key
        }
        func bound() -> KeyRange.Bound {
            switch random.below(5) {
            case 0: .unbounded
            case 1, 2: .included(key())
            default: .excluded(key())
            }
        }
        switch random.below(8) {
        case 0: return .all
        case 1, 2: return .prefix(Array(key().prefix(random.below(6))))
        case 3:
            let key = key()
            return KeyRange(lower: .included(key), upper: .included(key))
        default:
            let (a, b) = (bound(), bound())
            return KeyRange(lower: a, upper: b)
        }
    }

    /// Returns the ranks inside a range.
    func ranks(_ range: KeyRange) -> Range<Int> {
        let lower =
            switch range.lower {
            case .unbounded: 0
            case .included(let key): universe.rank(atOrAfter: key)
            case .excluded(let key): universe.rank(after: key)
            }
        let upper =
            switch range.upper {
            case .unbounded: universe.count
            case .included(let key): universe.rank(after: key)
            case .excluded(let key): universe.rank(atOrAfter: key)
            }
        return lower..<max(lower, upper)
    }

    func expectation(
        _ slot: Int, _ range: KeyRange, _ order: ScanOrder, _ moment: ModelOracle.Moment
    ) -> [(rank: Int, version: ModelOracle.Version)] {
        var found: [(rank: Int, version: ModelOracle.Version)] = []
        for rank in ranks(range) {
            if let version = oracle.find(slot, rank, at: moment) { found.append((rank, version)) }
        }
        return order == .forward ? found : found.reversed()
    }

    func scan() throws {
        let slot = try anySlot()
        let (moment, snapshot) = anyMoment()
        let range = anyRange()
        let order = random.below(2) == 0 ? ScanOrder.forward : .reversed
        let limit = random.below(10) == 0 ? Int.max : random.below(30)
        let bounds = ranks(range)
        var cursor = try engine.cursor(over: range, in: id(slot), order: order, at: snapshot)
        var seen = 0
        var offset = 0
        while seen < limit, offset < bounds.count {
            let rank = order == .forward ? bounds.lowerBound + offset : bounds.upperBound - 1 - offset
            offset += 1
            guard let expected = oracle.find(slot, rank, at: moment) else { continue }
            guard try cursor.next() else { throw failure("a scan of \(range) \(order) ended before \(name(rank))") }
            try check(cursor, rank, expected, { "\(range) \(order) at \(moment) of slot \(slot)" })
            seen += 1
        }
        if offset == bounds.count, try seen < limit && cursor.next() {
            throw failure("a scan of \(range) \(order) at \(moment) delivers a key too many")
        }
    }

    /// Checks a count, which reads less than a scan, against the oracle.
    func count() throws {
        let slot = try anySlot()
        let (moment, snapshot) = anyMoment()
        let range = random.below(2) == 0 ? KeyRange.all : anyRange()
        let expected = ranks(range).count { oracle.find(slot, $0, at: moment) != nil }
        let found = try engine.count(over: range, in: id(slot), at: snapshot)
        guard found == expected else {
            throw failure("\(found) entries counted in \(range) of slot \(slot) at \(moment), not \(expected)")
        }
        digest.combine(found)
    }

    func check(_ cursor: borrowing Engine.Cursor, _ rank: Int, _ expected: ModelOracle.Version, _ what: () -> String)
        throws
    {
        let info = cursor.info
        let key = universe.keys[rank]
        guard unsafe ByteComparison.areEqual(cursor.key, key.span.bytes) else {
            throw failure("a scan of \(what()) delivers another key than \(name(rank))")
        }
        guard pool.isEqual(cursor.value, expected.extent), info.isPurgeable == expected.isPurgeable,
            info.expiresAtMilliseconds == expected.expiry
        else { throw failure("a scan of \(what()) delivers another value for \(name(rank)), not \(expected)") }
        digest.combine(rank)
        digest.combine(cursor.value.byteCount)
    }
}
