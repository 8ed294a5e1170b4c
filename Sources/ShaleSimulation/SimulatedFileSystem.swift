package import ShaleBase
package import ShalePlatform
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// A file system in memory that remembers what was synced, can crash and can fail at any call.
///
/// The model is strict: the data of a file is durable only after the file's sync, a name only after its directory's.
/// ``crashClone(_:seed:)`` makes an independent file system as it may be after a crash; the original stays usable. With
/// one thread, everything follows from the calls and the seeds alone. Thread-safe by one lock.
package final class SimulatedFileSystem: FileSystem, @unchecked Sendable {
    /// Every instance is a device of its own, so that a clone's locks and directories are not its original's.
    private static let nextDevice = Atomic<UInt64>(1 << 32)

    let device: UInt64
    private let mutex = Lock()

    // Guarded by `mutex`:
    let root: SimulatedFolder
    var injector: FaultInjector
    private var nextInode: UInt64
    private var nextRename = 0
    private var handles: [String: Int] = [:]
    private var usedSpace = 0
    private var quota: Int

    /// `quota` bounds the sum of the file sizes; a write beyond it fails with ENOSPC.
    package convenience init(seed: UInt64 = 0, quota: Int = 1 << 40) {
        self.init(root: SimulatedFolder(inode: 1), nextInode: 2, seed: seed, quota: quota)
    }

    private init(root: SimulatedFolder, nextInode: UInt64, seed: UInt64, quota: Int) {
        device = SimulatedFileSystem.nextDevice.wrappingAdd(1, ordering: .relaxed).newValue
        self.root = root
        self.nextInode = nextInode
        self.quota = quota
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
                if seen.insert(ObjectIdentifier(file)).inserted { total += file.content.count }
            }
        }
        return total
    }

    // MARK: - Crashes

    /// What a crash now may leave, as a file system of its own without faults, locks and handles. Its data and names
    /// are durable, unless only the process dies.
    package func crashClone(_ policy: CrashPolicy, seed: UInt64 = 0) -> SimulatedFileSystem {
        mutex.withLock {
            let tree = CrashClone.make(root, policy, SeededRandom(seed: seed))
            let clone = SimulatedFileSystem(root: tree, nextInode: nextInode, seed: seed, quota: quota)
            clone.mapsFiles = mapsFiles
            return clone
        }
    }

    // MARK: - Faults

    package func inject(_ rule: FaultRule) { mutex.withLock { injector.inject(rule) } }

    package func removeFaultRules() { mutex.withLock { injector.removeRules() } }

    package var faultsFired: [FiredFault] { mutex.withLock { injector.fired } }

    /// How many calls there were; every call has an index.
    package var operationCount: Int { mutex.withLock { injector.operationCount } }

    /// All calls in order.
    package var operations: [Operation] { mutex.withLock { injector.operations } }

    /// Whether ``operations`` grows; long runs turn it off.
    package var recordsOperations: Bool {
        get { mutex.withLock { injector.recordsOperations } }
        set { mutex.withLock { injector.recordsOperations = newValue } }
    }

    package var hasCrashed: Bool { mutex.withLock { injector.hasCrashed } }

    /// Called before every call, outside of the lock: here a test takes crash clones while a script runs. Set it while
    /// nobody uses the file system.
    package var willPerform: ((OperationKind, String) -> Void)?

    /// Whether files can be mapped. Set it while nobody uses the file system.
    package var mapsFiles = true

    // MARK: - Handles and space

    /// Open files, directories and held locks.
    package var openHandles: Int { mutex.withLock { handles.values.reduce(0, +) } }

    /// Their paths, for the message of a failed leak check.
    package var openHandlePaths: [String] {
        mutex.withLock { handles.flatMap { repeatElement($0.key, count: $0.value) }.sorted() }
    }

    /// May be changed at any time, below what is used too.
    package func setQuota(_ bytes: Int) { mutex.withLock { quota = bytes } }

    package var usedBytes: Int { mutex.withLock { usedSpace } }

    // MARK: - For handles

    /// Runs one call under the lock: counts it, and lets a fault decide first. Failed syncs reach `body`, because they
    /// have an effect.
    func perform<Result>(
        _ kind: OperationKind, _ path: String, label: String,
        _ body: (FaultRule.Effect?) throws(IOFailure) -> Result
    ) throws(IOFailure) -> Result {
        willPerform?(kind, path)
        mutex.lock()
        defer { mutex.unlock() }
        let effect = injector.admit(kind, path)
        switch effect {
        case .crashHere: throw IOFailure(kind.rawValue, label, EIO)
        case .error(let number) where !kind.isSync: throw IOFailure(kind.rawValue, label, number)
        default: return try body(effect)
        }
    }

    /// Runs something that is no call of the seam.
    func withLock<Result>(_ body: () -> Result) -> Result { mutex.withLock(body) }

    // The lock is held in all of these.

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

    var freeSpace: Int { max(0, quota - usedSpace) }

    /// Runs a change of a file's size, names or handles and keeps the used space right.
    func accounting<Result>(for file: SimulatedFile, _ change: () -> Result) -> Result {
        let before = file.occupiesSpace ? file.content.count : 0
        let result = change()
        usedSpace += (file.occupiesSpace ? file.content.count : 0) - before
        return result
    }

    func opened(_ path: String) { handles[path, default: 0] += 1 }

    func closed(_ path: String) {
        guard let count = handles[path] else { return }
        handles[path] = count > 1 ? count - 1 : nil
    }

    // MARK: - Opening

    /// `path` counts from the simulated root, with or without a leading slash. Directories above the last component are
    /// made when missing: they stand for a world that was there before.
    package func openDirectory(_ path: String, create: Bool) throws(IOFailure) -> any Directory {
        let components = path.split(separator: "/").map(String.init)
        let absolute = "/" + components.joined(separator: "/")
        let folder = try perform(.openDirectory, absolute, label: path) { _ throws(IOFailure) in
            var folder = root
            for (index, name) in components.enumerated() {
                switch folder.names[name] {
                case .folder(let inner): folder = inner
                case .file: throw IOFailure("openDirectory", path, ENOTDIR)
                case nil:
                    guard create || index + 1 < components.count else {
                        throw IOFailure("openDirectory", path, ENOENT)
                    }
                    let inner = makeFolder()
                    folder.setDurably(name, .folder(inner))
                    folder = inner
                }
            }
            opened(absolute)
            return folder
        }
        return SimulatedDirectory(self, folder, path: path, absolute: absolute, isRoot: true)
    }
}
