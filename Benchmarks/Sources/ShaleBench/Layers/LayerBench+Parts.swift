import Posix
import Shale
import ShaleEngine
import Synchronization
import _ShaleHotPaths

extension LayerBench {
    /// Compares typed sets and gets of numbers and strings with the engine's calls for the same keys and bytes.
    func typedCalls() throws {
        try compare("int", try ValueRing { Int(truncatingIfNeeded: $0 >> 20) })
        try compare("double", try ValueRing { Double($0 >> 12) / 1024 })
        try compare("bool", try ValueRing { $0 & 1 == 0 })
        try compare("string", try ValueRing { TypedValue.text($0) }, copies: true)
    }

    private func compare<Value: StorableValue & Equatable>(
        _ kind: String, _ ring: ValueRing<Value>, copies: Bool = false
    ) throws {
        let store = try stores.store(kind)
        let calls = TypedCalls(
            namespace: store.common["typed"], engine: store.engine,
            id: try store.engine.createNamespace(named: Array("bytes".utf8)), ring: ring, copies: copies)
        let (entries, count) = (assignment.entries, operations)
        let written = VisitedKeys(count: count, of: entries, seed: assignment.seed, beginsWithAll: true)
        try emit(
            "set" + kind,
            [
                Turns.Side(peer: Contender.shale) { try calls.setTyped(written, $0) },
                Turns.Side(peer: "engine") { try calls.setBytes(written, $0) },
            ], operations: count, valueBytes: ring.storedBytes)
        try settle()
        let read = VisitedKeys(count: count, of: entries, seed: ~assignment.seed, beginsWithAll: false)
        try emit(
            "get" + kind,
            [
                Turns.Side(peer: Contender.shale) { try calls.getTyped(read, $0) },
                Turns.Side(peer: "engine") { try calls.getBytes(read, $0) },
            ], operations: count, valueBytes: ring.storedBytes)
        try close()
        try open()
    }
}

/// Tasks that read the changes of a namespace.
private final class Readers: Sendable {
    /// The last sequence that each task has handled.
    private let seen: [Tally]

    private final class Tally: Sendable {
        let sequence = Atomic<UInt64>(0)
    }

    init(_ namespace: Store.Namespace, count: Int) throws {
        seen = (0..<count).map { _ in Tally() }
        for tally in seen {
            let changes = try namespace.changes()
            Task.detached {
                for await change in changes { tally.sequence.store(change.sequence, ordering: .relaxed) }
            }
        }
    }

    /// Waits until all tasks have received all changes.
    func wait(for namespace: Store.Namespace) throws {
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
        func set(_ namespace: Store.Namespace, _ range: Range<Int>) throws {
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

extension LayerBench {
    /// Measures the disk space of stores of JSON documents with and without dictionaries: everything in their
    /// directories, after a compaction.
    func dictionaries() throws {
        for kind in [SampleDocuments.Kind.profiles, .orders, .events] {
            for (peer, trains) in [(Contender.shale, true), ("nodictionaries", false)] {
                try fill(kind, peer, trains)
            }
        }
    }

    private func fill(_ kind: SampleDocuments.Kind, _ peer: String, _ trains: Bool) throws {
        var options = Store.Options()
        options.engine.trainsDictionaries = trains
        let name = "\(kind)-\(peer)"
        let store = try stores.store(name, options)
        let namespace = store.common["documents"]
        var documents = SampleDocuments(kind, seed: assignment.seed)
        let start = Start()
        let began = Clock.now
        var bytes = 0
        for item in 0..<assignment.entries {
            let document = documents.next()
            bytes += document.count
            try namespace.set(document, forKey: TypedKey.key(item))
        }
        try store.engine.compact()
        try settle()
        let row = try row(
            "documents\(kind)", peer, operations: assignment.entries, seconds: Clock.seconds(since: began),
            valueBytes: 200
        ) { row in
            row.cpuSeconds = Resources.cpuSeconds - start.cpuSeconds
            row.settledDiskBytes = Int(try DirectorySize(of: stores.directory(name)).allocatedBytes)
            row.spaceAmplification = row.settledDiskBytes.map {
                Double($0) / Double(bytes + assignment.entries * TypedKey.byteCount)
            }
        }
        try emit(row)
        try close()
        try open()
    }
}
