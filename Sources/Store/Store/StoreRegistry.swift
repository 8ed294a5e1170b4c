import ShaleBase
import ShaleEngine
import ShalePlatform

/// The stores that are open in this process, by the identity of their directory: a second opening shares the core of
/// the first, even under another path. Thread-safe; openings run one at a time.
final class StoreRegistry: @unchecked Sendable {
    static let shared = StoreRegistry()

    /// A directory in a file system. Read-only openings, which take no lock, have an engine of their own beside a
    /// writer's.
    struct Location: Hashable {
        /// `nil` for the machine's file system.
        let fileSystem: ObjectIdentifier?
        let directory: FileIdentity
        let isReadOnly: Bool
    }

    private struct Slot {
        weak var core: StoreCore?
        /// The number of the lease that holds the location. While a core is being released, `core` is `nil` already,
        /// but its engine may still have the directory open until the lease ends.
        let lease: UInt64
    }

    /// No reference to a core may be released under this lock: the end of a core acquires it too.
    private let lock = Lock()
    private let changed: Condition
    private var isOpening = false
    private var slots: [Location: Slot] = [:]
    private var lastLease: UInt64 = 0
    /// The process that opened these stores.
    private var process = ForkWatch.shared.mark

    private init() { changed = Condition(lock) }

    /// Returns the core of the store at `path`, with one opening counted. Opens the store if it is not open.
    func open(
        _ path: String, _ options: Store.Options, _ environment: EngineEnvironment
    ) throws(StorageError) -> StoreCore {
        let codecs = try CodecTable(options.codecs)
        beginOpening()
        defer { endOpening() }
        if let location = try location(path, options, environment) {
            if let core = try openedCore(at: location, options) { return core }
        }
        var environment = environment
        var keyRing: KeyRing?
        if let encryption = options.encryption {
            let ring = try KeyRing(encryption)
            environment.checkCatalogue = { (namespaces) throws(StorageError) in try ring.admit(namespaces) }
            keyRing = ring
        }
        let engine = try Engine.open(at: path, options: options.engine, environment: environment)
        guard let location = try location(path, options, environment) else {
            throw StorageError(
                .missing, "the store's directory was removed while the store was being opened", file: path)
        }
        let core = register(engine, options, codecs, keyRing, path, location)
        do throws(StorageError) {
            try core.emptyOutdatedNamespaces()
            if core.hasPolicies { try core.purgeScheduler.start(for: core) }
        } catch {
            // No other opening shares the core yet: openings run one at a time.
            try core.closeOpening()
            throw error
        }
        return core
    }

    /// Ends a lease, so that the location is free.
    func end(_ lease: UInt64, of location: Location) {
        lock.withLock {
            guard let slot = slots[location], slot.lease == lease else { return }
            slots[location] = nil
            changed.broadcast()
        }
    }

    // MARK: Steps

    private func beginOpening() {
        lock.withLock {
            forgetParents()
            while isOpening { changed.wait() }
            isOpening = true
        }
    }

    /// Runs under `lock`. In a child made by `fork` the stores and a running opening belong to the parent, so the child
    /// forgets them. It opens stores itself; opening throws `.locked` for as long as the parent has the store open.
    private func forgetParents() {
        guard process.isInChild else { return }
        process = ForkWatch.shared.mark
        slots = [:]
        isOpening = false
    }

    private func endOpening() {
        lock.withLock {
            isOpening = false
            changed.broadcast()
        }
    }

    /// Returns the location of a directory; `nil` if it does not exist.
    private func location(
        _ path: String, _ options: Store.Options, _ environment: EngineEnvironment
    ) throws(StorageError) -> Location? {
        let system = environment.fileSystem
        do {
            let directory = try system.openDirectory(path, create: false)
            return Location(
                fileSystem: system is PosixFileSystem ? nil : ObjectIdentifier(system), directory: directory.identity,
                isReadOnly: options.engine.mode == .readOnly)
        } catch {
            guard error.isMissing else { throw error.storageError }
            return nil
        }
    }

    /// Returns the core that is open at `location`; `nil` if there is none. Waits for a core that is being closed.
    private func openedCore(at location: Location, _ options: Store.Options) throws(StorageError) -> StoreCore? {
        while let lease = lock.withLock({ slots[location]?.lease }) {
            if let core = try sharedCore(at: location, options) { return core }
            lock.withLock {
                while slots[location]?.lease == lease { changed.wait() }
            }
        }
        return nil
    }

    /// Returns the core at `location` with one more opening; `nil` if there is none that stays open. A separate
    /// function, so that no reference to a core is held while the caller waits for its end.
    @inline(never)
    private func sharedCore(at location: Location, _ options: Store.Options) throws(StorageError) -> StoreCore? {
        guard let core = lock.withLock({ slots[location]?.core }), core.addOpening() else { return nil }
        let differences = options.differences(from: core.options)
        guard differences.isEmpty else {
            core.dropOpening()
            throw .invalid(
                "the store is already open in this process with other options: \(differences.joined(separator: ", "))")
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
        _ engine: Engine, _ options: Store.Options, _ codecs: CodecTable, _ keyRing: KeyRing?, _ path: String,
        _ location: Location
    ) -> StoreCore {
        lock.withLock {
            lastLease += 1
            let core = StoreCore(
                engine: engine, path: path, options: options, codecs: codecs, keyRing: keyRing,
                lease: StoreLease(registry: self, number: lastLease, location: location))
            slots[location] = Slot(core: core, lease: lastLease)
            return core
        }
    }
}

/// The claim of a store on its location in the registry, until `end` or its release.
final class StoreLease: Sendable {
    private let registry: StoreRegistry
    private let number: UInt64
    private let location: StoreRegistry.Location

    init(registry: StoreRegistry, number: UInt64, location: StoreRegistry.Location) {
        self.registry = registry
        self.number = number
        self.location = location
    }

    deinit { end() }

    func end() { registry.end(number, of: location) }
}
