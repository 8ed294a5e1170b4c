import ShaleBase
import ShalePlatform
import Synchronization

/// An open store: its engine and the namespaces in use. Every ``Store`` of the same directory shares one, and so does
/// everything that was taken from them. Thread-safe.
final class StoreCore: Sendable {
    // The order matters a little: stored properties go in it, so the lease ends, and lets others open the directory,
    // when the engine is gone. In another order they might find it locked still.
    let engine: Engine
    private let lease: StoreLease
    let options: StoreOptions
    let codecs: CodecTable
    /// `nil` when the store was opened without encryption.
    let keyRing: KeyRing?
    let namespaces = NamespaceTable()
    let health = HealthLog()
    let currentUser = CurrentUser()
    let purgeRegistry = PurgeRegistry()
    let purgeScheduler = PurgeScheduler()
    let purgeEvents = StreamHub<PurgeEvent>(.bufferingNewest(64))
    let spaceWatches = SpaceWatches()
    /// Of namespaces whose policy looks at age: when the next can become too old.
    let oldestKnown = Guarded<[NamespaceID: Int64]>([:])
    /// Made when a namespace needs it.
    let uses = AtomicLazyReference<UseTable>()
    /// Held while namespaces are dropped and while their options change.
    let catalogueLock = Lock()
    /// Starts with the one that made it.
    private let openings = Guarded(1)
    private let isClosed = Atomic(false)

    init(engine: Engine, options: StoreOptions, codecs: CodecTable, keyRing: KeyRing?, lease: StoreLease) {
        self.engine = engine
        self.keyRing = keyRing
        self.options = options
        self.codecs = codecs
        self.lease = lease
    }

    /// Throws `.closed` once the store is. Asked where a namespace is looked up; ``close()`` sees to it that all are
    /// looked up again.
    func requireOpen() throws(StorageError) {
        if isClosed.load(ordering: .acquiring) { throw StorageError(.closed, "the store was closed") }
    }

    // MARK: Openings

    /// Counts another ``Store``; false when it came too late.
    func addOpening() -> Bool {
        openings.withLock { openings in
            guard !isClosed.load(ordering: .acquiring) else { return false }
            openings += 1
            return true
        }
    }

    /// One ``Store`` less, which was let go and not closed: the engine goes on.
    func dropOpening() { openings.withLock { $0 -= 1 } }

    /// One ``Store`` less, which was closed; with the last one the engine is.
    func closeOpening() throws(StorageError) {
        let isLast = openings.withLock { openings in
            openings -= 1
            if openings == 0 { isClosed.store(true, ordering: .releasing) }
            return openings == 0
        }
        guard isLast else { return }
        purgeScheduler.stop()
        spaceWatches.finish()
        namespaces.forgetIDs()
        defer { lease.end() }
        do throws(StorageError) {
            try keepUses()
        } catch {
            // Less is known of what was used; a log that failed is the engine's to report.
            purgeEvents.send(.failed(error))
        }
        try engine.close()
    }
}
