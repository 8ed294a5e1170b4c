import ShaleBase
import Synchronization

/// What all handles of one namespace share: its id in the engine and its defaults, once they are known.
///
/// The id is looked up on first use and then costs one atomic load. It may go stale, when the namespace is dropped: ids
/// are never used twice, so the engine answers `.namespaceDropped`, and the operation starts again with a new lookup.
/// Thread-safe.
final class NamespaceState: Sendable {
    /// No namespace of a store has it.
    private static let unknown: UInt32 = 0

    let core: StoreCore
    /// The core's.
    let engine: BorrowedEngine
    let name: NamespaceName
    /// The catalogue's name, or why there can't be one.
    private let nameBytes: Result<[UInt8], StorageError>
    private let id = Atomic<UInt32>(NamespaceState.unknown)
    /// ``NamespaceDefaults/word`` of the namespace that has `id`. Set before `id`, so whoever has read the id reads these
    /// defaults or later ones; later ones go with a later write of the options, or with a later id, which the engine
    /// tells apart.
    private let defaultsWord = Atomic<UInt64>(0)
    /// The cipher that the options name, 0 for none. Set before the defaults.
    private let cipherNumber = Atomic<UInt8>(0)
    /// Whether reads are noted: see ``UseTable``.
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

    /// What values are encrypted with unless they say otherwise; `nil`: the store's cipher. Asked after the id.
    var cipher: CipherID? {
        let number = cipherNumber.load(ordering: .relaxed)
        return number == 0 ? nil : CipherID(rawValue: number)
    }

    // MARK: Resolving

    /// The namespace's id; `nil` when there is no such namespace.
    @inline(__always)
    func existing() throws(StorageError) -> NamespaceID? {
        let known = id.load(ordering: .acquiring)
        if known != NamespaceState.unknown { return NamespaceID(rawValue: known) }
        return try lookUp()
    }

    /// The namespace's id, after making it if need be.
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

    /// The namespace as the catalogue knows it; `nil` when there is none.
    func description() throws(StorageError) -> NamespaceDescription? {
        try core.requireOpen()
        return core.engine.namespace(named: try nameBytes.get())
    }

    private func adopt(_ found: NamespaceDescription) throws(StorageError) -> NamespaceID {
        let options = try CatalogueOptions(bytes: found.options)
        try verifyKeys(options, of: found.id)
        if options.tracksUse { try core.prepareUses() }
        core.catalogueLock.withLock {
            // Unless somebody was faster, perhaps with newer options.
            guard id.load(ordering: .relaxed) == NamespaceState.unknown else { return }
            adopt(options)
            id.store(found.id.rawValue, ordering: .releasing)
        }
        return found.id
    }

    /// Takes over options that were set for the namespace `id`. Under the catalogue's lock.
    func adopt(_ options: CatalogueOptions, of id: NamespaceID) {
        if self.id.load(ordering: .relaxed) == id.rawValue { adopt(options) }
    }

    /// Under the catalogue's lock.
    private func adopt(_ options: CatalogueOptions) {
        cipherNumber.store(options.cipher?.rawValue ?? 0, ordering: .relaxed)
        tracksUse.store(options.tracksUse, ordering: .relaxed)
        defaultsWord.store(options.defaults.word, ordering: .releasing)
    }

    /// Forgets an id that the engine called dropped.
    func forget(_ dropped: NamespaceID) {
        _ = id.compareExchange(
            expected: dropped.rawValue, desired: NamespaceState.unknown, ordering: .acquiringAndReleasing)
    }

    /// Makes the next operation look the namespace up again.
    func forgetAnyID() { id.store(NamespaceState.unknown, ordering: .releasing) }

    // MARK: Operations

    /// Runs `body` with the namespace's id, again while the namespace goes away under it; `nil` when there is none.
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

    /// Runs `body` with the namespace's id, made if need be, again while the namespace goes away under it.
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

    /// The time that a value keeps which is written now. Asked after the id.
    @inline(__always)
    var writeTime: Int64? { defaults.isTimed ? core.engine.wallMilliseconds : nil }

    /// A read has found `key`.
    @inline(__always)
    func noteUse(_ key: RawSpan, _ id: NamespaceID) {
        if tracksUse.load(ordering: .relaxed) { core.noteUse(key, id) }
    }

    /// Options of a value as the engine takes them.
    @inline(__always)
    func putOptions(_ options: ValueOptions) -> PutOptions {
        let defaults = defaults
        if options.isStandard, defaults == .standard { return PutOptions() }
        return combined(options, defaults)
    }

    @inline(never)
    private func combined(_ options: ValueOptions, _ defaults: NamespaceDefaults) -> PutOptions {
        let expiry: Int64?
        switch options.expiry {
        case .never: expiry = nil
        case .at(let milliseconds): expiry = milliseconds
        case .after(let lifetime): expiry = moment(after: lifetime)
        case nil: expiry = defaults.lifetimeMilliseconds == 0 ? nil : moment(after: defaults.lifetimeMilliseconds)
        }
        return PutOptions(isPurgeable: options.isPurgeable ?? defaults.isPurgeable, expiresAtMilliseconds: expiry)
    }

    private func moment(after milliseconds: Int64) -> Int64 {
        let now = core.engine.wallMilliseconds
        let (sum, overflow) = now.addingReportingOverflow(milliseconds)
        return overflow ? (milliseconds < 0 ? .min : .max) : sum
    }
}
