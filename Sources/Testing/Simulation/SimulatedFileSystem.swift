import ShaleBase
import ShalePlatform
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file system in memory that tracks what was synced, can crash, and can fail at any call.
///
/// The model is strict: the data of a file is durable only after the file's sync, a name only after its directory's
/// sync. A ``SystemModel`` selects the behaviour where systems differ. ``crashClone(_:seed:)`` makes an independent
/// file system in a possible state after a crash; the original stays usable.
///
/// With one thread, calls and seeds alone determine everything. Thread-safe: one lock guards all state.
package final class SimulatedFileSystem: FileSystem, @unchecked Sendable {
    /// Every instance is a device of its own, so that a clone's locks and directories differ from its original's.
    private static let nextDevice = Atomic<UInt64>(1 << 32)

    let device: UInt64
    private let mutex = Lock()
    private let hooks = SimulationHooks()

    // Guarded by `mutex`:
    let root: SimulatedFolder
    var injector: FaultInjector
    private var nextInode: UInt64
    private var nextRename = 0
    private var handles: [String: Int] = [:]
    private var usedSpace = 0
    private var limits: SpaceLimits
    var processes = SimulatedProcesses()
    private var reports = 0

    /// The behaviour where systems differ. Set it only while no thread uses the file system.
    package var model: SystemModel

    /// Makes a file system. `quota` bounds the sum of the file sizes; a write beyond it fails with ENOSPC.
    package convenience init(seed: UInt64 = 0, quota: Int = 1 << 40, model: SystemModel = .kind) {
        self.init(
            root: SimulatedFolder(inode: 1), nextInode: 2, seed: seed, limits: SpaceLimits(disk: quota), model: model)
    }

    private init(
        root: SimulatedFolder, nextInode: UInt64, seed: UInt64, limits: SpaceLimits, model: SystemModel
    ) {
        device = SimulatedFileSystem.nextDevice.wrappingAdd(1, ordering: .relaxed).newValue
        self.root = root
        self.nextInode = nextInode
        self.limits = limits
        self.model = model
        injector = FaultInjector(random: SeededRandom(seed: seed))
        var seen: Set<ObjectIdentifier> = []
        usedSpace = SimulatedFileSystem.countLinks(root, &seen)
    }

    /// Sets the link counts of a fresh tree and returns the bytes in its files.
    private static func countLinks(_ folder: SimulatedFolder, _ seen: inout Set<ObjectIdentifier>) -> Int {
        var total = 0
        for node in folder.names.values {
            switch node {
            case .folder(let inner): total += countLinks(inner, &seen)
            case .file(let file):
                file.linkCount += 1
                if seen.insert(ObjectIdentifier(file)).inserted { total += file.usedSpace }
            }
        }
        return total
    }

    // MARK: - Crashes

    /// Returns a possible state after a crash now, as an independent file system without faults, locks and handles.
    ///
    /// Its data and names are durable, unless only the process dies.
    package func crashClone(_ policy: CrashPolicy, seed: UInt64 = 0) -> SimulatedFileSystem {
        mutex.withLock {
            let tree = CrashClone.make(root, policy, SeededRandom(seed: seed))
            return SimulatedFileSystem(root: tree, nextInode: nextInode, seed: seed, limits: limits, model: model)
        }
    }

    // MARK: - Faults

    package func inject(_ rule: FaultRule) { mutex.withLock { injector.inject(rule) } }

    package func removeFaultRules() { mutex.withLock { injector.removeRules() } }

    package var faultsFired: [FiredFault] { mutex.withLock { injector.fired } }

    /// The number of syncs that have reported a writeback error, their own or an earlier one.
    package var writebackReports: Int { mutex.withLock { reports } }

    /// The number of calls so far. Every call has an index.
    package var operationCount: Int { mutex.withLock { injector.operationCount } }

    /// All calls in order.
    package var operations: [Operation] { mutex.withLock { injector.operations } }

    /// True if ``operations`` records calls; long runs turn it off.
    package var recordsOperations: Bool {
        get { mutex.withLock { injector.recordsOperations } }
        set { mutex.withLock { injector.recordsOperations = newValue } }
    }

    package var hasCrashed: Bool { mutex.withLock { injector.hasCrashed } }

    /// Called before every call, outside the lock, for example to take crash clones while a script runs.
    ///
    /// May be set at any time; calls in progress keep the previous hook.
    package var willPerform: ((OperationKind, String) -> Void)? {
        get { hooks.current.willPerform }
        set { hooks.set(\.willPerform, newValue) }
    }

    /// Called outside the lock in the middle of a call that takes time: `sync`, `syncDirectory` and `preallocate`.
    ///
    /// Calls of other threads during the hook come between the call's beginning and its end. May be set at any time.
    package var isPerforming: ((OperationKind, String) -> Void)? {
        get { hooks.current.isPerforming }
        set { hooks.set(\.isPerforming, newValue) }
    }

    /// Called after every call, including failed ones, outside the lock. May be set at any time.
    package var didPerform: ((OperationKind, String) -> Void)? {
        get { hooks.current.didPerform }
        set { hooks.set(\.didPerform, newValue) }
    }

    /// True if files can be mapped. Set it only while no thread uses the file system.
    package var mapsFiles: Bool {
        get { model.mapsFiles }
        set { model.mapsFiles = newValue }
    }

    // MARK: - Handles and space

    /// The number of open files, directories and held locks.
    package var openHandles: Int { mutex.withLock { handles.values.reduce(0, +) } }

    /// The paths of the open handles, for the message of a failed leak check.
    package var openHandlePaths: [String] {
        mutex.withLock { handles.flatMap { repeatElement($0.key, count: $0.value) }.sorted() }
    }

    /// Sets the size of the disk. May be called at any time, also with less than the used space.
    package func setQuota(_ bytes: Int) { mutex.withLock { limits.disk = bytes } }

    /// Sets the user's quota; `nil` for none.
    ///
    /// A write beyond it fails with EDQUOT; `freeBytes` reports only the disk's space.
    package func setUserQuota(_ bytes: Int?) { mutex.withLock { limits.user = bytes } }

    package var usedBytes: Int { mutex.withLock { usedSpace } }

    // MARK: - For handles

    /// Performs one call under the lock: counts it, then lets a fault decide. Failed syncs reach `body`, because they
    /// have an effect.
    func perform<Result>(
        _ kind: OperationKind, _ path: String, label: String,
        _ body: (FaultRule.Effect?) throws(IOFailure) -> Result
    ) throws(IOFailure) -> Result {
        let hooks = hooks.current
        hooks.willPerform?(kind, path)
        defer { hooks.didPerform?(kind, path) }
        return try begin(kind, path, label: label, body)
    }

    /// Performs a call that takes time: `begin` and `end` hold the lock, and calls of other threads come between them.
    func perform<Begun, Result>(
        _ kind: OperationKind, _ path: String, label: String,
        begin body: (FaultRule.Effect?) throws(IOFailure) -> Begun, end: (Begun) throws(IOFailure) -> Result
    ) throws(IOFailure) -> Result {
        let hooks = hooks.current
        hooks.willPerform?(kind, path)
        defer { hooks.didPerform?(kind, path) }
        let begun = try begin(kind, path, label: label, body)
        hooks.isPerforming?(kind, path)
        return try mutex.withLock { () throws(IOFailure) in
            if injector.hasCrashed { throw IOFailure(kind.rawValue, label, EIO) }
            return try end(begun)
        }
    }

    private func begin<Result>(
        _ kind: OperationKind, _ path: String, label: String,
        _ body: (FaultRule.Effect?) throws(IOFailure) -> Result
    ) throws(IOFailure) -> Result {
        mutex.lock()
        defer { mutex.unlock() }
        let effect = injector.admit(kind, path)
        switch effect {
        case .crashHere: throw IOFailure(kind.rawValue, label, EIO)
        case .error(let number) where !kind.isSync: throw IOFailure(kind.rawValue, label, number)
        default: return try body(effect)
        }
    }

    /// Runs `body` under the lock, without counting a call.
    func withLock<Result>(_ body: () -> Result) -> Result { mutex.withLock(body) }

    // The caller of the following functions holds the lock.

    /// Throws a writeback error that an open description has not reported yet.
    func report(_ errors: inout WritebackErrors, to seen: inout Int, _ label: String) throws(IOFailure) {
        guard let number = errors.report(to: &seen) else { return }
        reports += 1
        throw IOFailure("sync", label, number)
    }

    func makeFile() -> SimulatedFile {
        defer { nextInode += 1 }
        return SimulatedFile(inode: nextInode)
    }

    func makeFolder() -> SimulatedFolder {
        defer { nextInode += 1 }
        return SimulatedFolder(inode: nextInode)
    }

    func makeRenameNumber() -> Int {
        defer { nextRename += 1 }
        return nextRename
    }

    var space: SpaceLimits.Room { limits.room(used: usedSpace) }

    /// The space left on the disk, regardless of the user's quota.
    var freeSpace: Int { max(0, limits.disk - usedSpace) }

    /// Applies a change of a file's size, names or handles, and updates the used space.
    func accounting<Result>(for file: SimulatedFile, _ change: () -> Result) -> Result {
        let before = file.usedSpace
        let result = change()
        usedSpace += file.usedSpace - before
        return result
    }

    func opened(_ path: String) { handles[path, default: 0] += 1 }

    func closed(_ path: String) {
        guard let count = handles[path] else { return }
        handles[path] = count > 1 ? count - 1 : nil
    }
}

/// The hooks of a test around the calls of a simulated file system.
///
/// Thread-safe: a test may set a hook while the engine's threads run. The lock is not a ``Lock``, so that reading a
/// hook is not a scheduling point.
private final class SimulationHooks: Sendable {
    /// Unchecked: a hook runs on the calling thread, and the test guards what it captures.
    struct Hooks: @unchecked Sendable {
        /// A hook gets the kind of the call and its path.
        typealias Hook = (OperationKind, String) -> Void

        var willPerform: Hook?
        var isPerforming: Hook?
        var didPerform: Hook?
    }

    private let hooks = Mutex(Hooks())

    var current: Hooks { hooks.withLock { $0 } }

    func set(_ hook: WritableKeyPath<Hooks, Hooks.Hook?>, _ body: Hooks.Hook?) {
        hooks.withLock { $0[keyPath: hook] = body }
    }
}
