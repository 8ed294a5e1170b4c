import ShaleBase
import ShaleEngine
import Synchronization

/// The state that all handles of one namespace share: its id in the engine and its defaults, once they are known.
/// Thread-safe.
///
/// The first use looks the id up; later uses cost one atomic load. The id becomes stale when the namespace is dropped.
/// Ids are never reused, so the engine then throws `.namespaceDropped`, and the operation starts again with a new
/// lookup.
final class NamespaceState: Sendable {
    /// An id that no namespace has.
    private static let unknown: UInt32 = 0

    let core: StoreCore
    /// The core's engine.
    let engine: BorrowedEngine
    let name: NamespaceName
    /// The name in the catalogue, or the error if the name is not valid.
    let nameBytes: Result<[UInt8], StorageError>
    private let id = Atomic<UInt32>(NamespaceState.unknown)
    /// ``NamespaceDefaults/word`` of the namespace that has `id`.
    ///
    /// 1. It is stored before `id`, so a thread that has loaded the id loads these defaults or later ones.
    /// 2. Later defaults come from a later change of the options, or belong to a later id. The engine rejects writes
    ///    with the older id.
    private let defaultsWord = Atomic<UInt64>(0)
    /// The cipher that the options name, 0 for none. Stored before the defaults.
    private let cipherNumber = Atomic<UInt8>(0)
    /// True if the capacity is enforced on writing. Stored before the defaults, which then have a time of writing.
    private let hasCapacity = Atomic(false)
    /// True if reads are recorded. See ``UseTable``.
    private let tracksUse = Atomic(false)

    init(core: StoreCore, name: NamespaceName) {
        self.core = core
        engine = BorrowedEngine(core.engine)
        self.name = name
        do throws(StorageError) {
            nameBytes = .success(try name.checkedBytes())
        } catch {
            nameBytes = .failure(error)
        }
    }

    @inline(__always)
    var defaults: NamespaceDefaults { NamespaceDefaults(word: defaultsWord.load(ordering: .acquiring)) }

    /// The cipher of values whose options name none; `nil` means the store's. Valid once the id has been loaded.
    var cipher: CipherID? {
        let number = cipherNumber.load(ordering: .relaxed)
        return number == 0 ? nil : CipherID(rawValue: number)
    }

    // MARK: Resolving

    /// Returns the namespace's id; `nil` if the namespace does not exist.
    @inline(__always)
    func existing() throws(StorageError) -> NamespaceID? {
        let known = id.load(ordering: .acquiring)
        if known != NamespaceState.unknown { return NamespaceID(rawValue: known) }
        return try lookUp()
    }

    /// Returns the namespace's id and creates the namespace if it does not exist.
    @inline(__always)
    func existingOrNew() throws(StorageError) -> NamespaceID {
        let known = id.load(ordering: .acquiring)
        if known != NamespaceState.unknown { return NamespaceID(rawValue: known) }
        return try create()
    }

    @inline(never)
    private func lookUp() throws(StorageError) -> NamespaceID? {
        while let found = try description() {
            do throws(StorageError) {
                return try adopt(found)
            } catch {
                guard error.code == .namespaceDropped else { throw error }
            }
        }
        return nil
    }

    @inline(never)
    private func create() throws(StorageError) -> NamespaceID {
        while true {
            if let found = try lookUp() { return found }
            try core.engine.createNamespace(named: try nameBytes.get())
        }
    }

    /// Returns the namespace's description in the catalogue; `nil` if the namespace does not exist.
    func description() throws(StorageError) -> NamespaceDescription? {
        try core.requireOpen()
        return core.engine.namespace(named: try nameBytes.get())
    }

    private func adopt(_ found: NamespaceDescription) throws(StorageError) -> NamespaceID {
        let options = try CatalogueOptions(bytes: found.options)
        try verifyKeys(options, of: found.id)
        if options.tracksUse { try core.prepareUses() }
        core.catalogueLock.withLock {
            // Another thread may have adopted the namespace first, perhaps with newer options.
            guard id.load(ordering: .relaxed) == NamespaceState.unknown else { return }
            adopt(options, account: found.id)
            id.store(found.id.rawValue, ordering: .releasing)
        }
        return found.id
    }

    /// Adopts options that were set for the namespace `id`. Requires the catalogue lock.
    func adopt(_ options: CatalogueOptions, of id: NamespaceID) {
        if self.id.load(ordering: .relaxed) == id.rawValue { adopt(options, account: id) }
    }

    /// Requires the catalogue lock.
    private func adopt(_ options: CatalogueOptions, account id: NamespaceID) {
        core.capacities.adopt(options.policy, of: id)
        core.engine.adoptLargeValueBytes(options.largeValueBytes, of: id)
        hasCapacity.store(options.policy?.policy.enforcement == .onWrite, ordering: .relaxed)
        cipherNumber.store(options.cipher?.rawValue ?? 0, ordering: .relaxed)
        tracksUse.store(options.tracksUse, ordering: .relaxed)
        defaultsWord.store(options.defaults.word, ordering: .releasing)
    }

    /// Forgets an id that the engine reported as dropped.
    func forget(_ dropped: NamespaceID) {
        core.capacities.forget(dropped)
        core.engine.adoptLargeValueBytes(nil, of: dropped)
        _ = id.compareExchange(
            expected: dropped.rawValue, desired: NamespaceState.unknown, ordering: .acquiringAndReleasing)
    }

    /// Forgets the id, so that the next operation looks the namespace up again.
    func forgetAnyID() { id.store(NamespaceState.unknown, ordering: .releasing) }

    // MARK: Operations

    /// Runs `body` with the namespace's id, and again if the namespace is dropped meanwhile. Returns `nil` if it does
    /// not exist.
    @inline(__always)
    func reading<R>(_ body: (NamespaceID) throws(StorageError) -> R?) throws(StorageError) -> R? {
        while let id = try existing() {
            do throws(StorageError) {
                return try body(id)
            } catch {
                guard error.code == .namespaceDropped else { throw error }
                forget(id)
            }
        }
        return nil
    }

    /// Runs `body` with the namespace's id, and again if the namespace is dropped meanwhile. Creates it if it does not
    /// exist.
    @inline(__always)
    func writing<R>(_ body: (NamespaceID) throws(StorageError) -> R) throws(StorageError) -> R {
        while true {
            let id = try existingOrNew()
            do throws(StorageError) {
                return try body(id)
            } catch {
                guard error.code == .namespaceDropped else { throw error }
                forget(id)
            }
        }
    }

    /// The time of writing that a new value stores; `nil` if the namespace stores none. Valid once the id has been
    /// loaded.
    @inline(__always)
    var writeTime: Int64? { defaults.isTimed ? core.engine.wallMilliseconds : nil }

    /// True if writes of purgeable entries are charged. Valid once the defaults have been loaded.
    @inline(__always)
    var isCapped: Bool { hasCapacity.load(ordering: .relaxed) }

    /// Records that a read has found `key`, if the namespace tracks use.
    @inline(__always)
    func noteUse(_ key: RawSpan, _ id: NamespaceID) {
        if tracksUse.load(ordering: .relaxed) { core.noteUse(key, id) }
    }

    /// Returns the engine's options for a value: the value's own, completed by the namespace's defaults.
    @inline(__always)
    func putOptions(_ options: ValueOptions) -> PutOptions {
        let defaults = defaults
        if options.isStandard, defaults == .standard { return PutOptions() }
        return combined(options, defaults)
    }

    @inline(never)
    private func combined(_ options: ValueOptions, _ defaults: NamespaceDefaults) -> PutOptions {
        options.completed(isPurgeable: defaults.isPurgeable, lifetimeMilliseconds: defaults.lifetimeMilliseconds) {
            core.engine.wallMilliseconds
        }
    }
}

/// An unretained reference to an engine, for calls that should not count references: all threads would write the
/// reference count in every operation.
///
/// The owner of this value must keep the engine alive for longer: a ``NamespaceState`` holds its core, which holds the
/// engine.
@safe
struct BorrowedEngine: @unchecked Sendable {
    private let reference: Unmanaged<Engine>

    init(_ engine: Engine) { unsafe reference = Unmanaged.passUnretained(engine) }

    @inline(__always)
    func with<R>(_ body: (Engine) throws(StorageError) -> R) throws(StorageError) -> R {
        let result = unsafe reference._withUnsafeGuaranteedRef { engine in
            Result { () throws(StorageError) in try body(engine) }
        }
        return try result.get()
    }
}
