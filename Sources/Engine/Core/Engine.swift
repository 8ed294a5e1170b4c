public import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// An ordered, durable key-value store in a directory: a log-structured merge tree.
///
/// Keys and values are bytes; keys are ordered bytewise inside namespaces. All methods may be called from any thread.
/// Reads take no lock and never wait for writers. `close()` makes everything durable. An engine that is released
/// without it keeps the promises of ``Durability/buffered``.
///
/// ```swift
/// let engine = try Engine.open(at: "/var/lib/app/store")
/// let orders = try engine.createNamespace(named: Array("orders".utf8))
/// try engine.put(value.span.bytes, forKey: key.span.bytes, in: orders)
/// let count = try engine.withValue(forKey: key.span.bytes, in: orders) { $0.byteCount }
/// try engine.close()
/// ```
public final class Engine: Sendable {
    let core: EngineCore

    /// Opens the store in the directory `path`.
    ///
    /// If the directory is missing and the mode allows it, creates it (mode 0700).
    ///
    /// The time is proportional to the size of the unflushed logs; there are none after `close()`. On a full disk a
    /// store can't be created, but an existing one opens: ``RecoveryReport/isOutOfSpace`` is true then, and writes
    /// throw `.noSpace` until there is space.
    ///
    /// - Throws: `.locked` if another opener holds the store or permissions hide it; `.missing`; `.corruption` and
    ///   `.missingLog`, which name file and offset, with nothing changed; `.newerFormat`; `.invalidArgument`, which
    ///   lists every option that is out of bounds; `.noSpace`; `.ioFailure`.
    public static func open(at path: String, options: Engine.Options = .init()) throws(StorageError) -> Engine {
        try open(at: path, options: options, environment: EngineEnvironment())
    }

    package static func open(
        at path: String, options: Engine.Options, environment: EngineEnvironment
    ) throws(StorageError) -> Engine {
        try options.validate()
        let opened = try StoreOpener(path: path, options: options, environment: environment).open()
        return try start(opened, options, environment)
    }

    static func start(
        _ opened: OpenedStore, _ options: Engine.Options, _ environment: EngineEnvironment
    ) throws(StorageError) -> Engine {
        let core = EngineCore(opened, options: options, environment: environment)
        try core.start()
        return Engine(core)
    }

    init(_ core: EngineCore) { self.core = core }

    /// Stops the threads. Unflushed batches stay in the log, and the next open replays them.
    deinit { core.abandon() }

    /// The report of opening the store.
    public var recovery: RecoveryReport { core.recovery }

    /// Flushes memtables, makes everything durable, stops all background work and releases the lock.
    ///
    /// - On a full disk, entries that can't be flushed stay in the logs, durable, and the next open replays them.
    /// - A concurrent write is made durable or throws `.closed`. Later calls throw `.closed`; a second `close` only
    ///   repeats the first one's error.
    /// - End cursors and snapshots first. Later reads through them may throw `.closed`, and replaced files that they
    ///   hold stay until the next open.
    /// - Waits for a ``compact(_:options:progress:)`` of another thread, which ends early with `.cancelled`. From its
    ///   `progress`, `close` throws `.invalidArgument` and the engine stays open.
    public func close() throws(StorageError) { try core.close() }

    /// Throws the error that ``close()`` throws if it is called from the progress of a compaction.
    package func requireOutsideOfProgress() throws(StorageError) { try core.background?.requireOutsideOfProgress() }

    /// Throws `.invalidArgument` in a child process made by `fork`.
    package func requireOwnProcess() throws(StorageError) { try core.committer.requireOwnProcess() }

    // MARK: Durability

    /// Makes every batch that has returned durable.
    ///
    /// Usually takes one `fdatasync`, shared with concurrent synced writes.
    public func sync() throws(StorageError) { try core.committer.syncLog() }

    /// Writes the memtables to segments.
    ///
    /// On return, every batch that returned before the call is durable and in no log. Does not wait for batches that
    /// are written meanwhile.
    public func flush() throws(StorageError) { try core.flush() }
}

/// Memory of a caller that counts in the engine's budget while this object exists. Thread-safe.
package final class ReservedMemory: Sendable {
    private let budget: MemoryBudget
    private let bytes: Int

    fileprivate init(_ budget: MemoryBudget, _ bytes: Int) {
        self.budget = budget
        self.bytes = bytes
        budget.charge(bytes, for: .buffers)
    }

    deinit { budget.release(bytes, for: .buffers) }
}

extension Engine {
    /// Reserves memory for the caller in the engine's budget. The block cache shrinks accordingly.
    package func reserveMemory(_ bytes: Int) -> ReservedMemory {
        ReservedMemory(core.segmentEnvironment.budget, bytes)
    }
}
