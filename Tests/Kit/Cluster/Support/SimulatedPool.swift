import ShaleBase
import ShaleCluster
import ShalePlatform

/// A pool in memory, with the semantics of RADOS that ``ObjectPool`` states. Thread-safe.
///
/// A test may make operations fail: before they happen, or afterwards, as a lost answer does.
final class SimulatedPool: ObjectPool {
    enum Fault: Sendable {
        /// The operation does not happen.
        case refused(PoolFailure.Kind)
        /// The operation happens, and the answer is lost.
        case answerLost
        /// Another client's change happens before the operation.
        case preceded(ObjectName, ObjectChange)
    }

    /// An operation that is about to happen.
    enum Operation: Sendable {
        case read(ObjectName, ObjectQuery)
        case write(ObjectName, ObjectChange)
    }

    private struct Object {
        var attribute: [UInt8]?
        var entries: [[UInt8]: [UInt8]] = [:]
        var data: [UInt8] = []
    }

    /// An object, and its copies for snapshots.
    private struct Versions {
        var head: Object?
        /// The newest snapshot that the object has been copied for.
        var newest: UInt64 = 0
        /// By snapshot; `nil` if there was no object.
        var copies: [UInt64: Object?] = [:]
    }

    private struct State {
        var objects: [ObjectName: Versions] = [:]
        var lastSnapshot: UInt64 = 0
        var watches: [Watch] = []
        var health = Array(#"{"status":"HEALTH_OK","checks":{},"mutes":[]}"#.utf8)
        var isClosed = false
        var hook: @Sendable (Operation) -> Fault? = { _ in nil }
    }

    private let state = Locked(State())

    /// Calls `hook` before each operation from now on. It must not use the pool.
    func onOperation(_ hook: @escaping @Sendable (Operation) -> Fault?) { state.withLock { $0.hook = hook } }

    /// Refuses all writes after the next `count`, as if their client had died. Other calls of this kind replace it.
    func refuseWrites(after count: Int) {
        let writes = Locked(0)
        onOperation { operation in
            guard case .write = operation else { return nil }
            let number = writes.withLock { writes in
                writes += 1
                return writes
            }
            return number > count ? .refused(.timedOut) : nil
        }
    }

    /// The names of the objects in a namespace.
    func objects(in namespace: String) -> [String] {
        state.withLock { state in
            state.objects.filter { $0.key.namespace == namespace && $0.value.head != nil }.map(\.key.name).sorted()
        }
    }

    /// The number of entries that the objects of a namespace have, whether readers see them or not.
    func entryCount(in namespace: String) -> Int {
        state.withLock { state in
            state.objects.filter { $0.key.namespace == namespace }.reduce(0) {
                $0 + ($1.value.head?.entries.count ?? 0)
            }
        }
    }

    /// Changes the value of every entry of a namespace.
    func damage(_ namespace: String, _ body: (inout [UInt8]) -> Void) {
        state.withLock { state in
            for name in state.objects.keys where name.namespace == namespace {
                for key in state.objects[name]?.head?.entries.keys.sorted(by: { $0.lexicographicallyPrecedes($1) })
                    ?? []
                {
                    guard var value = state.objects[name]?.head?.entries[key] else { continue }
                    body(&value)
                    state.objects[name]?.head?.entries[key] = value
                }
            }
        }
    }

    /// Exchanges the values of two entries, wherever they are.
    func exchangeEntries(in namespace: String) {
        state.withLock { state in
            let places = state.objects.filter { $0.key.namespace == namespace }.flatMap { (name, object) in
                (object.head?.entries.keys.map { $0 } ?? []).map { (name, $0) }
            }
            guard places.count == 2 else { return }
            let values = places.map { state.objects[$0.0]?.head?.entries[$0.1] }
            for (place, value) in zip(places, values.reversed()) {
                state.objects[place.0]?.head?.entries[place.1] = value
            }
        }
    }

    nonisolated(nonsending) func write(_ object: ObjectName, _ change: ObjectChange) async throws(PoolFailure) {
        try state.withLock { (state) throws(PoolFailure) in
            let fault = try begin(.write(object, change), &state)
            var versions = state.objects[object] ?? Versions()
            var changed = versions.head
            for step in change.steps { try SimulatedPool.apply(step, to: &changed) }
            if let snapshot = change.snapshot, snapshot > versions.newest {
                versions.copies.updateValue(versions.head, forKey: snapshot)
                versions.newest = snapshot
            }
            versions.head = changed
            state.objects[object] = versions
            if case .answerLost = fault { throw PoolFailure(.timedOut) }
        }
    }

    nonisolated(nonsending) func read(
        _ object: ObjectName, _ query: ObjectQuery
    ) async throws(PoolFailure) -> ObjectContents {
        if Task.isCancelled { throw PoolFailure(.cancelled) }
        return try state.withLock { (state) throws(PoolFailure) in
            let fault = try begin(.read(object, query), &state)
            let versions = state.objects[object] ?? Versions()
            var found = versions.head
            if let snapshot = query.snapshot, snapshot <= versions.newest {
                found = versions.copies[snapshot] ?? nil
            }
            guard let found else { throw PoolFailure(.missing) }
            if let required = query.requiredAttribute, found.attribute != required { throw PoolFailure(.differs) }
            if case .answerLost = fault { throw PoolFailure(.timedOut) }
            return SimulatedPool.contents(of: found, query)
        }
    }

    nonisolated(nonsending) func makeSnapshot(in namespace: String) async throws(PoolFailure) -> UInt64 {
        state.withLock { state in
            state.lastSnapshot += 1
            return state.lastSnapshot
        }
    }

    nonisolated(nonsending) func removeSnapshot(_ id: UInt64, in namespace: String) async throws(PoolFailure) {
        state.withLock { state in
            for name in state.objects.keys { state.objects[name]?.copies[id] = nil }
        }
    }

    nonisolated(nonsending) func health() async throws(PoolFailure) -> [UInt8] {
        try state.withLock { (state) throws(PoolFailure) in
            if state.isClosed { throw PoolFailure(.closed) }
            return state.health
        }
    }

    /// The report of the monitors.
    func setHealth(_ json: String) { state.withLock { $0.health = Array(json.utf8) } }

    nonisolated(nonsending) func usage() async throws(PoolFailure) -> ClusterUsage {
        state.withLock { ClusterUsage(objects: UInt64($0.objects.count), bytes: 0) }
    }

    private final class Watch: PoolWatch {
        let object: ObjectName
        let report: @Sendable (WatchEvent) -> Void
        let hasEnded = Locked(false)

        init(_ object: ObjectName, _ report: @escaping @Sendable (WatchEvent) -> Void) {
            self.object = object
            self.report = report
        }

        func end() { hasEnded.withLock { $0 = true } }
    }

    nonisolated(nonsending) func watch(
        _ object: ObjectName, _ report: @escaping @Sendable (WatchEvent) -> Void
    ) async throws(PoolFailure) -> any PoolWatch {
        let watch = Watch(object, report)
        state.withLock { $0.watches.append(watch) }
        return watch
    }

    nonisolated(nonsending) func notify(_ object: ObjectName, _ bytes: [UInt8]) async throws(PoolFailure) {
        tell(object, .notified(bytes))
    }

    /// Calls the watches of an object.
    func tell(_ object: ObjectName, _ event: WatchEvent) {
        for watch in state.withLock({ $0.watches }) where watch.object == object && !watch.hasEnded.withLock({ $0 }) {
            watch.report(event)
        }
    }

    /// The number of watches that have not ended.
    var watchCount: Int { state.withLock { $0.watches }.count { !$0.hasEnded.withLock { $0 } } }

    /// The number of copies for snapshots.
    var copyCount: Int { state.withLock { $0.objects.values.reduce(0) { $0 + $1.copies.count } } }

    nonisolated(nonsending) func close() async { state.withLock { $0.isClosed = true } }

    private func begin(_ operation: Operation, _ state: inout State) throws(PoolFailure) -> Fault? {
        if state.isClosed { throw PoolFailure(.closed) }
        let fault = state.hook(operation)
        switch fault {
        case .refused(let kind): throw PoolFailure(kind)
        case .preceded(let object, let change):
            for step in change.steps {
                try SimulatedPool.apply(step, to: &state.objects[object, default: Versions()].head)
            }
        case .answerLost, nil: break
        }
        return fault
    }

    private static func apply(_ step: ObjectChange.Step, to object: inout Object?) throws(PoolFailure) {
        switch step {
        case .requireObject: if object == nil { throw PoolFailure(.missing) }
        case .create:
            if object != nil { throw PoolFailure(.exists) }
            object = Object()
        case .requireAttribute(let value):
            if object?.attribute != value { throw PoolFailure(.differs) }
        case .requireEntry(let name, let value):
            if object?.entries[name] ?? [] != value { throw PoolFailure(.differs) }
        case .removeObject:
            if object == nil { throw PoolFailure(.missing) }
            object = nil
        case .setAttribute(let value):
            object = object ?? Object()
            object?.attribute = value
        case .setEntries(let entries):
            object = object ?? Object()
            for entry in entries { object?.entries[entry.name] = entry.value }
        case .removeEntries(let names):
            for name in names { object?.entries[name] = nil }
        case .setData(let data):
            object = object ?? Object()
            object?.data = data
        case .setSize(let size):
            object = object ?? Object()
            let data = object?.data.prefix(Int(size)) ?? []
            object?.data = data + [UInt8](repeating: 0, count: Int(size) - data.count)
        }
    }

    private static func contents(of object: Object, _ query: ObjectQuery) -> ObjectContents {
        func sorted(_ entries: some Sequence<(key: [UInt8], value: [UInt8])>) -> [ObjectEntry] {
            entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }
                .map { ObjectEntry(name: $0.key, value: $0.value) }
        }
        var contents = ObjectContents()
        contents.attribute = query.attribute ? object.attribute : nil
        contents.size = query.size ? UInt64(object.data.count) : nil
        contents.found = ObjectEntries(sorted(object.entries.filter { query.names.contains($0.key) }))
        contents.data = query.dataBytes.map { Array(object.data.prefix($0)) } ?? []
        if let page = query.page {
            let rest = sorted(
                object.entries.filter { (key, _) in
                    key.starts(with: page.prefix) && page.after.lexicographicallyPrecedes(key)
                })
            contents.page = ObjectEntries(rest.prefix(page.limit))
            contents.hasMore = rest.count > page.limit
        }
        return contents
    }
}
