public import ShaleBase
import ShaleManifest
import ShalePlatform

/// An ordered, durable key-value store in a directory: a log-structured merge tree.
///
/// Keys and values are bytes; keys are ordered bytewise inside namespaces. All methods may be called from any thread.
/// Reads take no lock and never wait for writers. `close()` makes everything durable; an engine that is dropped without it
/// keeps what ``Durability/buffered`` promises.
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

    /// Opens the store in the directory `path`, which is created (0700) when missing and the mode allows it.
    ///
    /// Errors: `.locked` when another opener holds it or permissions hide it, `.missing`, `.corruption` and
    /// `.missingLog` (file and offset named; nothing was changed), `.newerFormat`, `.invalidArgument` with every option
    /// that is out of bounds, `.noSpace`, `.ioFailure`. Time is proportional to the unflushed logs: none after `close()`.
    ///
    /// On a full disk a store can't be made, but one that exists opens: ``RecoveryReport/isOutOfSpace`` is true then, and writes
    /// throw `.noSpace` until there is space.
    public static func open(at path: String, options: EngineOptions = .init()) throws(StorageError) -> Engine {
        try open(at: path, options: options, environment: EngineEnvironment())
    }

    package static func open(
        at path: String, options: EngineOptions, environment: EngineEnvironment
    ) throws(StorageError) -> Engine {
        try options.validate()
        let opened = try StoreOpener(path: path, options: options, environment: environment).open()
        let core = EngineCore(opened, options: options, environment: environment)
        try core.start()
        return Engine(core)
    }

    private init(_ core: EngineCore) { self.core = core }

    /// Stops the threads. Unflushed batches stay in the log, for the next open to replay.
    deinit { core.abandon() }

    /// What opening found.
    public var recovery: RecoveryReport { core.recovery }

    /// Flushes memtables, makes everything durable, stops all background work and releases the lock. On a full disk what can't
    /// be flushed stays in the logs, durable, and the next open reads it there. A write of another thread is made durable or
    /// throws `.closed`, and so do later calls; calling it again does nothing. Cursors and snapshots must have ended. Waits for
    /// a ``compact(_:options:progress:)`` of another thread; from the progress of one it throws `.invalidArgument`, and the engine stays open.
    public func close() throws(StorageError) { try core.close() }

    /// Throws what ``close()`` would, called from the progress of a compaction.
    package func requireOutsideOfProgress() throws(StorageError) { try core.background?.requireOutsideOfProgress() }

    // MARK: Durability

    /// Makes every batch that has returned durable. One `fdatasync`, shared with concurrent synced writes.
    public func sync() throws(StorageError) { try core.committer.syncLog() }

    /// Writes what the memtables hold to segments and waits for it: every batch that has returned is durable, and in no
    /// log any more. What others write meanwhile is not waited for.
    public func flush() throws(StorageError) { try core.flush() }
}
