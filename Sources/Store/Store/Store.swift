import Synchronization

/// An embedded store in a directory: typed values under keys, in namespaces, common or per user.
///
/// ```swift
/// let store = try Store(at: "/var/lib/app/store")
/// let orders = store.common["orders"]
/// try orders.set(42, forKey: "count")
/// let count = try orders.int(forKey: "count", default: 0)
/// let drafts = store.user("u1")["drafts"].child("2026")
/// try drafts.set(draft, forKey: "d1", [.purgeable, .expires(after: .days(7))])
/// try store.close()
/// ```
///
/// Everything may be called from any thread and blocks only for the disk: see ``Durability`` for what a write has
/// reached when it returns. Opening a directory that is open in this process already gives another `Store` of the same
/// core: all see the same at once. A second process gets an error of code `.locked` that names the holder.
public final class Store: Sendable {
    let core: StoreCore
    private let isClosed = Atomic(false)

    /// Opens the store in the directory `path`, which is made (0700) when missing and the engine's mode allows it.
    ///
    /// Errors: those of ``Engine/open(at:options:)``; `.invalidArgument` also when the store is open in this process with
    /// other options, which the message names.
    public convenience init(at path: String, options: StoreOptions = .init()) throws(StorageError) {
        try self.init(at: path, options: options, environment: EngineEnvironment())
    }

    package init(
        at path: String, options: StoreOptions, environment: EngineEnvironment
    ) throws(StorageError) {
        core = try StoreRegistry.shared.open(path, options, environment)
    }

    deinit {
        // Letting go is not closing: namespaces that were taken from this store may be in use, and the engine keeps what
        // it has promised without.
        guard !isClosed.load(ordering: .relaxed) else { return }
        core.dropOpening()
    }

    /// Makes everything durable and ends this opening. With the last one the store is closed for everything that was
    /// taken from it, which then throws `.closed`. Scans and transactions must have ended. Calling it again does nothing.
    /// From the progress of a compaction, a purge's included, it throws `.invalidArgument`, and the store stays open.
    public func close() throws(StorageError) {
        try core.engine.requireOutsideOfProgress()
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        try core.closeOpening()
    }

    /// How the store was opened; by whoever was first in this process.
    public var options: StoreOptions { core.options }

    /// The engine below, for access to bytes without types, for statistics and for maintenance. Its namespaces hold the
    /// values in envelopes: DESIGN.md, "Value envelope". Close the store, not the engine; while a reference to the engine
    /// is kept beyond that of the store, the directory stays locked.
    public var engine: Engine { core.engine }

    /// What opening found in the logs.
    public var recovery: RecoveryReport { core.engine.recovery }

    /// The space that belongs to no user.
    public var common: Space { Space(core: core, owner: .common) }

    /// The space of the user `id`: a value that goes on meaning this user, whatever happens. Any text but the empty one;
    /// two ids are the same user when their UTF-8 is. Costs nothing: a user exists once something is written.
    public func user(_ id: String) -> Space { Space(core: core, owner: .user(id)) }

    /// Makes every write that has returned durable.
    public func sync() throws(StorageError) { try core.engine.sync() }
}
