import Shale
import Synchronization

/// Tasks that read the changes of a namespace.
private final class Readers: Sendable {
    /// The last sequence that each task has handled.
    private let seen: [Tally]

    private final class Tally: Sendable {
        let sequence = Atomic<UInt64>(0)
    }

    init(_ namespace: Namespace, count: Int) throws {
        seen = (0..<count).map { _ in Tally() }
        for tally in seen {
            let changes = try namespace.changes()
            Task.detached {
                for await change in changes { tally.sequence.store(change.sequence, ordering: .relaxed) }
            }
        }
    }

    /// Waits until all tasks have received all changes.
    func wait(for namespace: Namespace) throws {
        let newest = try namespace.changes(capacity: 1).start
        while seen.contains(where: { $0.sequence.load(ordering: .relaxed) < newest }) { Clock.sleep(milliseconds: 1) }
    }
}

extension LayerBench {
    /// Compares sets of integers in a namespace with one observer and with ten observers to sets without observers. The
    /// readers catch up between the turns.
    func observers() throws {
        let count = min(operations, assignment.operationsMax)
        let keys = VisitedKeys(count: count, of: assignment.entries, seed: assignment.seed, beginsWithAll: true)
        func set(_ namespace: Namespace, _ range: Range<Int>) throws {
            for position in range { try namespace.set(position, forKey: keys.texts[position]) }
        }
        for number in [1, 10] {
            let plain = try stores.store("plain\(number)").common["settings"]
            let observed = try stores.store("observed\(number)").common["settings"]
            try set(observed, 0..<1)
            let readers = try Readers(observed, count: number)
            try emit(
                "setobserved\(number)",
                [
                    Turns.Side(peer: Contender.shale) {
                        try set(observed, $0)
                    } rest: {
                        try readers.wait(for: observed)
                    },
                    Turns.Side(peer: "unobserved") { try set(plain, $0) },
                ], operations: count, valueBytes: 10)
        }
        try close()
        try open()
    }
}
