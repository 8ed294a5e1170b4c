import ShaleBase
import ShaleEngine
import ShaleManifest
import ShalePlatform
import ShaleSimulation

extension FuzzTarget {
    /// Input: a ``StoreImage``.
    static let store = FuzzTarget(
        "store", "a whole store: open, scan, write, compact, reopen", seeds: { try StoreSample.images() }
    ) { input in
        let disk = SimulatedFileSystem(seed: 1, quota: 256 << 20)
        disk.recordsOperations = false
        StoreImage(decoding: input).write(to: disk)
        try StoreTarget.run(on: disk)
        EpochDomainPool.shared.quiesceIdle()
        try require(disk.openHandles == 0, "open handles are left: \(disk.openHandlePaths)")
    }
}

enum StoreTarget {
    /// The errors that opening damaged files may throw. `.missing`: the files are no store.
    private static let refusals: Set<StorageError.Code> = [.corruption, .newerFormat, .missingLog, .missing]

    static var options: Engine.Options {
        var options = Engine.Options()
        options.memtableBytes = 64 << 10
        options.memoryBudget = 8 << 20
        options.blockBytes = 1 << 10
        options.segmentBytes = 64 << 10
        options.upperSegmentBytes = 16 << 10
        options.baseLevelBytes = 64 << 10
        options.fanOut = 4
        options.syncInterval = nil
        options.time = ManualTime()
        return options
    }

    static func open(
        _ disk: SimulatedFileSystem, mode: Engine.Options.Mode, _ change: (inout Engine.Options) -> Void = { _ in }
    ) throws(StorageError) -> Engine {
        var options = options
        options.mode = mode
        change(&options)
        // Background work only runs inside calls, so that the call throws the errors that it meets, not the open.
        let environment = EngineEnvironment(
            fileSystem: disk, random: SeededRandom(seed: 7), scheduling: .deferred)
        return try Engine.open(at: "/store", options: options, environment: environment)
    }

    static func run(on disk: SimulatedFileSystem) throws {
        let before = contents(disk)
        let engine: Engine
        do throws(StorageError) {
            engine = try open(disk, mode: .openExisting)
        } catch {
            try requireTyped(error, refusals, namesPosition: error.code == .corruption)
            let changed = contents(disk).filter { before[$0.key] != $0.value }.keys.sorted()
            return try require(changed.isEmpty, "an open that failed has changed \(changed) (R-2): \(error)")
        }
        let shown = try read(engine)
        guard try close(engine), let again = try reopen(disk) else { return }
        try requireShown(shown, by: again, on: disk, drops: engine.statistics.drops, "reopening")
        try write(again)
        let written = try read(again)
        guard try close(again), let last = try reopen(disk) else { return }
        try requireShown(written, by: last, on: disk, drops: again.statistics.drops, "reopening after writing")
        _ = try close(last)
    }

    /// Checks that the reopened engine shows what an earlier one showed.
    ///
    /// Damage may be gone if its file is: a segment whose entries are all erased is dropped without being read. No
    /// other job may replace a damaged segment.
    ///
    /// - Parameter drops: The number of jobs that dropped segments until the earlier engine was closed.
    private static func requireShown(
        _ shown: Shown, by engine: Engine, on disk: SimulatedFileSystem, drops: UInt64, _ step: String
    ) throws {
        let now = try read(engine)
        try require(
            now.namespaces.map(\.description) == shown.namespaces.map(\.description),
            "\(step) shows other namespaces (D-4)")
        for (before, after) in zip(shown.namespaces, now.namespaces) where before.entries != after.entries {
            let isDropped = before.damagedFile.map { file in !disk.paths().contains { $0.hasSuffix(file) } } ?? false
            try require(isDropped && drops > shown.drops, "\(step) shows something else (D-4)")
        }
    }

    /// Returns all files but the lock, which an open may create first.
    private static func contents(_ disk: SimulatedFileSystem) -> [String: [UInt8]] {
        let paths = disk.paths().filter { $0 != StoreImage.path + StoreLayout.lock }
        return Dictionary(uniqueKeysWithValues: paths.map { ($0, disk.read($0) ?? []) })
    }

    /// Closes the engine. Returns false if the flush met damage.
    private static func close(_ engine: Engine) throws -> Bool {
        do throws(StorageError) {
            try engine.close()
            return true
        } catch {
            try requireTyped(error, namesPosition: false)
            return false
        }
    }

    private static func reopen(_ disk: SimulatedFileSystem) throws -> Engine? {
        do throws(StorageError) {
            return try open(disk, mode: .openExisting)
        } catch {
            throw FuzzFinding("a store that was open and closed does not open: \(error)")
        }
    }

    /// The entries that an engine shows, and the number of jobs before that dropped segments.
    private struct Shown {
        struct Namespace {
            let description: NamespaceDescription
            /// `nil` for a namespace with damage.
            let entries: [[UInt8]]?
            /// The file whose damage a scan met.
            let damagedFile: String?
        }

        let namespaces: [Namespace]
        let drops: UInt64
    }

    private static func read(_ engine: Engine) throws -> Shown {
        let drops = engine.statistics.drops
        let namespaces = try engine.namespaces.map { namespace in
            let forward = try entries(engine, namespace.id, .forward)
            let backward = try entries(engine, namespace.id, .reversed)
            if let forward = forward.entries, let backward = backward.entries {
                try require(forward == backward.reversed(), "a scan differs between directions")
            }
            return Shown.Namespace(
                description: namespace, entries: forward.entries, damagedFile: forward.damagedFile)
        }
        try verify(engine)
        return Shown(namespaces: namespaces, drops: drops)
    }

    private static func verify(_ engine: Engine) throws {
        do throws(StorageError) {
            for problem in try engine.verify().problems where problem.file == nil || problem.offset == nil {
                throw problem
            }
        } catch {
            // A newer version's format is no damage to list.
            try requireTyped(error, [.newerFormat])
        }
    }

    private static func entries(
        _ engine: Engine, _ namespace: NamespaceID, _ order: ScanOrder
    ) throws -> (entries: [[UInt8]]?, damagedFile: String?) {
        do throws(StorageError) {
            return (try engine.entries(in: namespace, order: order).map { $0.key + [0] + $0.value }, nil)
        } catch {
            try requireTyped(error)
            return (nil, error.file)
        }
    }

    /// Uses the store as if it were undamaged; a call that can't succeed must throw.
    private static func write(_ engine: Engine) throws {
        try attempt { () throws(StorageError) in
            let fresh = try engine.createNamespace(named: Array("fuzz".utf8))
            try engine.put([1, 2, 3], forKey: Array("key".utf8), in: fresh, durability: .synced)
        }
        let namespaces = engine.namespaces
        for namespace in namespaces { try requireReadable(engine, namespace.id) }
        try attempt { () throws(StorageError) in try engine.purge(namespaces.prefix(1).map(\.id)) }
        try attempt { () throws(StorageError) in try engine.flush() }
        try attempt { () throws(StorageError) in try compact(engine) }
        try attempt { () throws(StorageError) in try engine.truncate(namespaces.suffix(1).map(\.id)) }
    }

    /// Checks that a namespace shows what is put into it, whatever the files claim.
    private static func requireReadable(_ engine: Engine, _ namespace: NamespaceID) throws {
        var isShown = true
        try attempt { () throws(StorageError) in
            try engine.put([4, 5, 6], forKey: Array("put".utf8), in: namespace)
            isShown = try engine.value(forKey: Array("put".utf8), in: namespace) == [4, 5, 6]
        }
        try require(isShown, "\(namespace) does not show what was put into it")
    }

    private static func compact(_ engine: Engine) throws(StorageError) { try engine.compact() }

    private static func attempt(_ step: () throws(StorageError) -> Void) throws {
        do throws(StorageError) {
            try step()
        } catch {
            try requireTyped(
                error, refusals.union([.poisoned, .indeterminate, .invalidArgument]), namesPosition: false)
        }
    }
}
