import ShaleEngine

/// A cursor that stays open while the store changes under it, and what it has to deliver.
final class HeldCursor {
    let slot: Int
    let expected: [(rank: Int, version: ModelOracle.Version)]
    let what: String
    var cursor: Cursor
    var position = 0

    init(
        _ slot: Int, _ cursor: consuming Cursor, _ expected: [(rank: Int, version: ModelOracle.Version)], _ what: String
    ) {
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
                expectation(slot, range, order, moment), "\(range) \(order) at \(moment), held"))
    }

    func stepCursors() throws {
        for held in cursors {
            for _ in 0..<random.below(held.expected.count / 20 + 10) {
                let isThere = try held.cursor.next()
                guard isThere == (held.position < held.expected.count) else {
                    throw failure("a scan of \(held.what) \(isThere ? "goes on" : "ends") at \(held.position)")
                }
                if !isThere { break }
                let next = held.expected[held.position]
                try check(held.cursor, next.rank, next.version, held.what)
                held.position += 1
                coverage.heldSteps += 1
            }
        }
        cursors.removeAll { $0.position == $0.expected.count && $0.position > 0 }
    }

    func dropCursor() {
        if !cursors.isEmpty { cursors.remove(at: random.below(cursors.count)) }
    }
}
