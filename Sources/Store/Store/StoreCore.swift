import ShaleBase
import ShalePlatform
import Synchronization

/// An open store: its engine and the namespaces in use. All ``Store``s of the same directory share one core, and so
/// does everything taken from them. Thread-safe.
final class StoreCore: Sendable {
    // Stored properties are released in the order of declaration. The engine comes first, so that the lease, which lets
    // others open the directory, ends after the engine has gone. In another order they might still find the directory
    // locked.
    let engine: Engine
    /// `nil` in a newer state of a read-only store, which no other opening shares.
    private let lease: StoreLease?
    /// The path by which the first opening named the directory.
    let path: String
    let options: Store.Options
    let codecs: CodecTable
    /// `nil` if the store was opened without encryption.
    let keyRing: KeyRing?
    let namespaces = NamespaceTable()
    let health = HealthLog()
    let currentUser = CurrentUser()
    let purgeRegistry = PurgeRegistry()
    let purgeScheduler = PurgeScheduler()
    let purgeEvents = StreamHub<PurgeEvent>(.bufferingNewest(64))
    let freeSpaceMonitor = FreeSpaceMonitor()
    /// A lower bound on the times of the purgeable entries, for namespaces whose policy has been applied.
    let oldestKnown = Locked<[NamespaceID: Int64]>([:])
    /// The number of times that single entries of a namespace were removed by another than their writer. Counted before
    /// the removal is visible.
    let singleRemovals = Locked<[NamespaceID: UInt64]>([:])
    let capacities = CapacityTable()
    /// Created when a namespace first needs it.
    let uses = AtomicLazyReference<UseTable>()
    /// Held while namespaces are dropped and while their options change.
    let catalogueLock = Lock()
    /// The number of openings. Starts with the one that created the core.
    private let openings = Locked(1)
    private let isClosed = Atomic(false)

    init(
        engine: Engine, path: String, options: Store.Options, codecs: CodecTable, keyRing: KeyRing?, lease: StoreLease?
    ) {
        self.engine = engine
        self.path = path
        self.keyRing = keyRing
        self.options = options
        self.codecs = codecs
        self.lease = lease
    }

    /// Throws `.closed` once the store is closed. Called where a namespace is looked up; closing makes every namespace
    /// look itself up again.
    func requireOpen() throws(StorageError) {
        if isClosed.load(ordering: .acquiring) { throw StorageError(.closed, "the store was closed") }
    }

    /// False once the last opening has ended.
    var isOpen: Bool { !isClosed.load(ordering: .acquiring) }

    // MARK: Openings

    /// Counts another ``Store``. Returns false if the core is closed already.
    func addOpening() -> Bool {
        openings.withLock { openings in
            guard !isClosed.load(ordering: .acquiring) else { return false }
            openings += 1
            return true
        }
    }

    /// Removes one ``Store`` that was released but not closed. The engine stays open.
    func dropOpening() { openings.withLock { $0 -= 1 } }

    /// Removes one ``Store`` that was closed. The last one closes the engine.
    func closeOpening() throws(StorageError) {
        let isLast = openings.withLock { openings in
            openings -= 1
            if openings == 0 { isClosed.store(true, ordering: .releasing) }
            return openings == 0
        }
        guard isLast else { return }
        try end { () throws(StorageError) in try engine.close() }
    }

    /// Ends all openings in this process, so that another process may open the store.
    func suspend() throws(StorageError) -> Engine.Suspended {
        let isFirst = openings.withLock { openings in
            openings = 0
            return !isClosed.exchange(true, ordering: .acquiringAndReleasing)
        }
        guard isFirst else { throw StorageError(.closed, "the store was closed") }
        return try end { () throws(StorageError) in try engine.suspend() }
    }

    /// Ends the work on the store, and then its engine by `endEngine`.
    private func end<R>(_ endEngine: () throws(StorageError) -> R) throws(StorageError) -> R {
        purgeScheduler.stop()
        freeSpaceMonitor.finish()
        currentUser.finish()
        namespaces.forgetIDs()
        defer {
            purgeEvents.finish()
            lease?.end()
        }
        do throws(StorageError) {
            try keepUses()
        } catch {
            // Only times of reads are lost. The engine reports a failed log itself.
            purgeEvents.send(.failed(error))
        }
        return try endEngine()
    }
}
