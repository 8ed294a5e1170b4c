import ShaleBase
import ShaleEngine
import Synchronization

/// An embedded store in a directory: typed values under keys, in namespaces that are common or belong to a user.
///
/// ```swift
/// let store = try Store(at: "/var/lib/app/store")
/// let orders = store.common["orders"]
/// try orders.set(42, forKey: "count")
/// let count = try orders.int(forKey: "count", default: 0)
/// let drafts = store.user("u1")["drafts"].child("2026")
/// try drafts.set(draft, forKey: "d1", options: [.purgeable, .expires(after: .seconds(7 * 86_400))])
/// try store.close()
/// ```
///
/// All functions may be called from any thread and block only for the disk. ``Durability`` says what a write survives
/// once it has returned.
///
/// Opening a directory that is already open in this process returns another `Store` of the same core; all of them see
/// the same data at once. In a second process opening throws `.locked`, with the holder in the message.
public final class Store: Sendable {
    let core: StoreCore
    private let isClosed = Atomic(false)

    /// Opens the store in the directory `path`. A missing directory is created (mode 0700) if the engine's mode allows
    /// it.
    ///
    /// - Throws: The errors of ``Engine/open(at:options:)``. Also `.invalidArgument` if the store is open in this
    ///   process with other options; the message names them.
    public convenience init(at path: String, options: Store.Options = .init()) throws(StorageError) {
        try self.init(at: path, options: options, environment: EngineEnvironment())
    }

    package init(
        at path: String, options: Store.Options, environment: EngineEnvironment
    ) throws(StorageError) {
        core = try StoreRegistry.shared.open(path, options, environment)
    }

    /// Makes the first opening of `core`.
    init(_ core: StoreCore) { self.core = core }

    deinit {
        // Releasing a store does not close it: namespaces taken from it may be in use, and the engine keeps its
        // durability promises without a close.
        guard !isClosed.load(ordering: .relaxed) else { return }
        core.dropOpening()
    }

    /// Makes all writes durable and ends this opening.
    ///
    /// The last opening to end closes the store: namespaces taken from it then throw `.closed`. Calling it again does
    /// nothing.
    ///
    /// End scans and transactions first; this does not wait for them. What is still open then throws `.closed`:
    /// transactions, snapshots, and scans at their next step.
    ///
    /// - Throws: `.invalidArgument` if called from the progress callback of a compaction or purge; the store then stays
    ///   open. Also the errors of making writes durable.
    public func close() throws(StorageError) {
        try core.engine.requireOutsideOfProgress()
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        try core.closeOpening()
    }

    /// True once this opening has ended.
    package var hasEnded: Bool { isClosed.load(ordering: .acquiring) }

    /// False once the last opening in this process has ended, which may be another one than this.
    package var isOpenInProcess: Bool { core.isOpen }

    /// The path of the store's directory, as the opening that came first in this process gave it.
    public var path: String { core.path }

    /// The options of the opening that came first in this process.
    public var options: Store.Options { core.options }

    /// The engine below the store, for access to bytes without types, for statistics and for maintenance.
    ///
    /// Its namespaces hold values in envelopes: Shale.docc, "Value envelope". Close the store, not the engine. If a
    /// reference to the engine outlives the store, the directory stays locked.
    public var engine: Engine { core.engine }

    /// The report of what opening found in the logs.
    public var recovery: RecoveryReport { core.engine.recovery }

    /// The space that belongs to no user.
    public var common: Store.Space { Store.Space(core: core, owner: .common) }

    /// Returns the space of the user `id`. The value always refers to this user.
    ///
    /// `id` is any text but the empty one. Two ids are the same user if their UTF-8 is equal. The call costs nothing: a
    /// user exists once something is written for it.
    public func user(_ id: String) -> Store.Space { Store.Space(core: core, owner: .user(id)) }

    /// Syncs the log, so that every write that has returned is durable.
    public func sync() throws(StorageError) { try core.engine.sync() }
}

extension Store {
    /// Commits a batch of writes to any namespaces atomically, for readers and after any fault.
    ///
    /// ```swift
    /// try store.write(durability: .synced) { batch in
    ///     try batch.set(90, forKey: "a", in: accounts)
    ///     try batch.set(110, forKey: "b", in: accounts)
    /// }
    /// ```
    /// A batch takes at most 64 MiB in the log. A namespace that does not exist is created when `body` first writes to
    /// it. If the batch fails, it remains and is empty.
    ///
    /// - Throws: The errors of `body` and of setting a value; `.namespaceDropped` if a namespace was dropped while the
    ///   batch was built. Unless the error is `.indeterminate`, nothing has been written. After `.namespaceDropped`,
    ///   run the batch again.
    public func write<R>(
        durability: Durability? = nil, _ body: (inout Store.Batch) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try write(durability, body) { $0 }
    }

    /// Does the same for a `body` that throws errors of any type. The caller gets the error of `body` unchanged, and
    /// nothing has been written.
    public func write<R>(
        durability: Durability? = nil, _ body: (inout Store.Batch) throws -> R
    ) throws -> R {
        try write(durability, body) { $0 }
    }

    private func write<R, Failure: Error>(
        _ durability: Durability?, _ body: (inout Store.Batch) throws(Failure) -> R,
        _ failure: (StorageError) -> Failure
    ) throws(Failure) -> R {
        var batch = Store.Batch(core)
        let result = try body(&batch)
        do throws(StorageError) { try batch.commit(durability) } catch { throw failure(error) }
        return result
    }

    /// Runs reads and writes as one transaction, which commits only if nothing that was read has changed meanwhile.
    ///
    /// ```swift
    /// try store.transaction { transaction in
    ///     let balance = try transaction.value(forKey: "a", in: accounts, as: Int.self) ?? 0
    ///     guard balance >= 10 else { throw NotEnough() }
    ///     try transaction.set(balance - 10, forKey: "a", in: accounts)
    /// }
    /// ```
    /// Nothing is locked while `body` runs. After a conflict it runs again on the newest state, up to `attempts` times
    /// in all. It should therefore have no side effects outside the transaction.
    ///
    /// - Throws: The errors of `body`; then nothing has been written. `.conflict` if the last attempt conflicts. Other
    ///   errors are those of ``write(durability:_:)``.
    public func transaction<R>(
        attempts: Int = 8, durability: Durability? = nil,
        _ body: (borrowing Store.Transaction) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try transaction(attempts, durability, body) { $0 }
    }

    /// Does the same for a `body` that throws errors of any type. The caller gets the error of `body` unchanged, and
    /// nothing has been written.
    public func transaction<R>(
        attempts: Int = 8, durability: Durability? = nil, _ body: (borrowing Store.Transaction) throws -> R
    ) throws -> R {
        try transaction(attempts, durability, body) { $0 }
    }

    private func transaction<R, Failure: Error>(
        _ attempts: Int, _ durability: Durability?, _ body: (borrowing Store.Transaction) throws(Failure) -> R,
        _ failure: (StorageError) -> Failure
    ) throws(Failure) -> R {
        do throws(StorageError) { try core.requireOpen() } catch { throw failure(error) }
        return try core.transaction(
            attempts, durability,
            { (transaction) throws(Failure) in try body(Store.Transaction(core, transaction)) }, failure)
    }
}

extension StoreCore {
    /// Returns the namespace's id for a batch or transaction of this store.
    func id(for namespace: Store.Namespace) throws(StorageError) -> NamespaceID {
        try requireOwn(namespace)
        return try namespace.state.existingOrNew()
    }

    func requireOwn(_ namespace: Store.Namespace) throws(StorageError) {
        guard namespace.state.core === self else { throw .invalid("the namespace belongs to another store") }
    }
}
