import ShaleBase
import ShalePlatform

/// The stores that are open in this process, by the identity of their directory, so that a second opening shares the
/// first one's core, under whatever path. Thread-safe; openings are made one at a time.
final class StoreRegistry: @unchecked Sendable {
    static let shared = StoreRegistry()

    /// One directory in one file system. Readers that don't lock have an engine of their own beside a writer's.
    struct Place: Hashable {
        /// `nil`: the machine's.
        let fileSystem: ObjectIdentifier?
        let directory: FileIdentity
        let isReadOnly: Bool
    }

    private struct Slot {
        weak var core: StoreCore?
        /// Which lease holds the place: the core may be gone, and its engine not yet.
        let lease: UInt64
    }

    /// No reference to a core may be let go under it: the core's end takes it too.
    private let lock = Lock()
    private let changed: Condition
    private var isOpening = false
    private var slots: [Place: Slot] = [:]
    private var lastLease: UInt64 = 0
    /// Whose stores these are.
    private var process = ForkWatch.shared.mark

    private init() { changed = Condition(lock) }

    /// The core of the store at `path`, opened if it is not open yet, with one opening counted.
    func open(
        _ path: String, _ options: StoreOptions, _ environment: EngineEnvironment
    ) throws(StorageError) -> StoreCore {
        let codecs = try CodecTable(options.codecs)
        takeTurn()
        defer { giveTurn() }
        if let place = try place(path, options, environment) {
            if let core = try openedCore(at: place, options) { return core }
        }
        var environment = environment
        var keyRing: KeyRing?
        if let encryption = options.encryption {
            let ring = try KeyRing(encryption)
            environment.checkCatalogue = { (namespaces) throws(StorageError) in try ring.admit(namespaces) }
            keyRing = ring
        }
        let engine = try Engine.open(at: path, options: options.engine, environment: environment)
        guard let place = try place(path, options, environment) else {
            throw StorageError(.missing, "the store's directory went away while it was opened", file: path)
        }
        let core = register(engine, options, codecs, keyRing, place)
        do throws(StorageError) {
            try core.emptyOutdatedNamespaces()
            if core.hasPolicies { try core.purgeScheduler.start(for: core) }
        } catch {
            // Nobody else got in: openings take turns.
            try core.closeOpening()
            throw error
        }
        return core
    }

    /// Ends a lease: the place is free.
    func end(_ lease: UInt64, of place: Place) {
        lock.withLock {
            guard let slot = slots[place], slot.lease == lease else { return }
            slots[place] = nil
            changed.broadcast()
        }
    }

    // MARK: Steps

    private func takeTurn() {
        lock.withLock {
            forgetParents()
            while isOpening { changed.wait() }
            isOpening = true
        }
    }

    /// Under `lock`: in a child made by `fork`, the stores are the parent's, and nobody here is opening any. The child opens
    /// for itself, and is told that the store is locked for as long as the parent has it.
    private func forgetParents() {
        guard process.isInChild else { return }
        process = ForkWatch.shared.mark
        slots = [:]
        isOpening = false
    }

    private func giveTurn() {
        lock.withLock {
            isOpening = false
            changed.broadcast()
        }
    }

    /// `nil` when there is no such directory.
    private func place(
        _ path: String, _ options: StoreOptions, _ environment: EngineEnvironment
    ) throws(StorageError) -> Place? {
        let system = environment.fileSystem
        do {
            let directory = try system.openDirectory(path, create: false)
            return Place(
                fileSystem: system is PosixFileSystem ? nil : ObjectIdentifier(system), directory: directory.identity,
                isReadOnly: options.engine.mode == .readOnly)
        } catch {
            guard error.isMissing else { throw error.storageError }
            return nil
        }
    }

    /// The core that is open at `place`; one that is being closed is waited for. `nil` once there is none.
    private func openedCore(at place: Place, _ options: StoreOptions) throws(StorageError) -> StoreCore? {
        while let lease = lock.withLock({ slots[place]?.lease }) {
            if let core = try sharedCore(at: place, options) { return core }
            lock.withLock {
                while slots[place]?.lease == lease { changed.wait() }
            }
        }
        return nil
    }

    /// `nil` when there is none that is not about to end. A function of its own, so that nothing holds a core while its
    /// end is waited for.
    @inline(never)
    private func sharedCore(at place: Place, _ options: StoreOptions) throws(StorageError) -> StoreCore? {
        guard let core = lock.withLock({ slots[place]?.core }), core.addOpening() else { return nil }
        let differences = options.differences(from: core.options)
        guard differences.isEmpty else {
            core.dropOpening()
            throw .invalid(
                "the store is open in this process with other options: \(differences.joined(separator: ", "))")
        }
        do throws(StorageError) {
            try core.verify(options.encryption)
        } catch {
            core.dropOpening()
            throw error
        }
        return core
    }

    private func register(
        _ engine: Engine, _ options: StoreOptions, _ codecs: CodecTable, _ keyRing: KeyRing?, _ place: Place
    ) -> StoreCore {
        lock.withLock {
            lastLease += 1
            let core = StoreCore(
                engine: engine, options: options, codecs: codecs, keyRing: keyRing,
                lease: StoreLease(registry: self, number: lastLease, place: place))
            slots[place] = Slot(core: core, lease: lastLease)
            return core
        }
    }
}

/// A store's hold on its place in the registry, until `end` or its own end.
final class StoreLease: Sendable {
    private let registry: StoreRegistry
    private let number: UInt64
    private let place: StoreRegistry.Place

    init(registry: StoreRegistry, number: UInt64, place: StoreRegistry.Place) {
        self.registry = registry
        self.number = number
        self.place = place
    }

    deinit { end() }

    func end() { registry.end(number, of: place) }
}
