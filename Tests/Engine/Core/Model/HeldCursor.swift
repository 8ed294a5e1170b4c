import ShaleBase
import ShaleEngine

/// A cursor that stays open while the store changes, and its expected entries.
final class HeldCursor {
    let slot: Int
    let expected: [(rank: Int, version: ModelOracle.Version)]
    let what: String
    var cursor: Engine.Cursor
    let order: ScanOrder
    var position = 0

    init(
        _ slot: Int, _ cursor: consuming Engine.Cursor, _ expected: [(rank: Int, version: ModelOracle.Version)],
        _ order: ScanOrder, _ what: String
    ) {
        self.order = order
        self.slot = slot
        self.expected = expected
        self.what = what
        self.cursor = cursor
    }
}

extension Model {
    func holdCursor() throws {
        if cursors.count >= 3 { dropCursor() }
        coverage.heldCursors += 1
        let slot = try anySlot()
        let (moment, snapshot) = anyMoment()
        let range = random.below(2) == 0 ? .all : anyRange()
        let order = random.below(2) == 0 ? ScanOrder.forward : .reversed
        cursors.append(
            HeldCursor(
                slot, try engine.cursor(over: range, in: id(slot), order: order, at: snapshot),
                expectation(slot, range, order, moment), order, "\(range) \(order) at \(moment), held"))
    }

    func stepCursors() throws {
        for held in cursors {
            if random.below(4) == 0 { try seek(held) }
            for _ in 0..<random.below(held.expected.count / 20 + 10) {
                let isThere = try held.cursor.next()
                guard isThere == (held.position < held.expected.count) else {
                    throw failure("a scan of \(held.what) \(isThere ? "continues" : "ends") at \(held.position)")
                }
                if !isThere { break }
                let next = held.expected[held.position]
                try check(held.cursor, next.rank, next.version, { held.what })
                held.position += 1
                coverage.heldSteps += 1
            }
        }
        // Some stay at their end, so that a seek has to move them again.
        cursors.removeAll { $0.position == $0.expected.count && $0.position > 0 && random.below(4) > 0 }
    }

    /// Seeks a key of the namespace, inside the cursor's range or not, or a key directly after one.
    private func seek(_ held: HeldCursor) throws {
        var key = universe.keys[anyRank]
        if random.below(3) == 0, key.count < FormatLimits.keyBytes { key.append(0) }
        try unsafe held.cursor.seek(to: key.span.bytes)
        let (first, end) = (universe.rank(atOrAfter: key), universe.rank(after: key))
        let position = held.expected.firstIndex { held.order == .forward ? $0.rank >= first : $0.rank < end }
        held.position = position ?? held.expected.count
        coverage.seeks += 1
    }

    func dropCursor() {
        if !cursors.isEmpty { cursors.remove(at: random.below(cursors.count)) }
    }
}
