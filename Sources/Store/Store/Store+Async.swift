public import ShaleBase
import ShaleEngine
import ShalePlatform

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The functions that wait for the disk, for `async` callers.
///
/// They never block a thread of the task pool: what waits runs on threads of the library. If nothing has to wait, they
/// stay on the caller's thread. A call whose task is cancelled before it starts throws `.cancelled` and does nothing,
/// except `close`, which always closes.
extension Store {
    /// Opens the store in the directory `path`, as `init(at:options:)` does.
    ///
    /// ```swift
    /// let store = try await Store.open(at: path)
    /// ```
    public nonisolated(nonsending) static func open(
        at path: String, options: Store.Options = .init()
    ) async throws(StorageError) -> Store {
        try await BlockingWork.run { (_) throws(StorageError) in try Store(at: path, options: options) }
    }

    /// Opens the store in the directory at `url`.
    ///
    /// - Throws: `.invalidArgument` if `url` is no file URL. Otherwise the errors of opening by path.
    public nonisolated(nonsending) static func open(
        at url: URL, options: Store.Options = .init()
    ) async throws(StorageError) -> Store {
        try await open(at: try url.storePath, options: options)
    }

    /// Makes all writes durable and ends this opening, as the `close` that blocks does. Runs also if the task is
    /// cancelled.
    public nonisolated(nonsending) func close() async throws(StorageError) {
        try await BlockingWork.run(isCancellable: false) { (_) throws(StorageError) in try self.close() }
    }

    /// Makes every write that has returned durable. If all of them are, the call returns without leaving the caller's
    /// thread.
    public nonisolated(nonsending) func sync() async throws(StorageError) { try await core.engine.sync() }

    /// Commits a batch of writes, as the `write` that blocks does.
    ///
    /// ```swift
    /// try await store.write(durability: .synced) { try $0.set(order, forKey: id, in: orders) }
    /// ```
    /// `body` runs where the caller runs, so it may use the caller's actor. Only a commit that waits for the disk runs
    /// on another thread.
    public nonisolated(nonsending) func write<R>(
        durability: Durability? = nil, _ body: (inout Store.Batch) throws(StorageError) -> R
    ) async throws(StorageError) -> R {
        try await write(durability, body) { $0 }
    }

    /// Does the same for a `body` that throws errors of any type. The caller gets the error of `body` unchanged, and
    /// nothing has been written.
    public nonisolated(nonsending) func write<R>(
        durability: Durability? = nil, _ body: (inout Store.Batch) throws -> R
    ) async throws -> R {
        try await write(durability, body) { $0 }
    }

    private nonisolated(nonsending) func write<R, Failure: Error>(
        _ durability: Durability?, _ body: (inout Store.Batch) throws(Failure) -> R,
        _ failure: (StorageError) -> Failure
    ) async throws(Failure) -> R {
        do throws(StorageError) { try await BlockingWork.checkCancellation() } catch { throw failure(error) }
        let batch = HandedOver(Store.Batch(core))
        let result = try batch.change(body)
        do throws(StorageError) {
            if commitsInline(durability), !batch.isCapped {
                try batch.take().commit(durability)
            } else {
                try await BlockingWork.run { (_) throws(StorageError) in try batch.take().commit(durability) }
            }
        } catch {
            throw failure(error)
        }
        return result
    }

    /// Runs reads and writes as one transaction, as the `transaction` that blocks does.
    ///
    /// ```swift
    /// try await store.transaction(durability: .synced) { transaction in
    ///     let count = try transaction.value(forKey: "count", in: counters, as: Int.self) ?? 0
    ///     try transaction.set(count + 1, forKey: "count", in: counters)
    /// }
    /// ```
    /// `body` runs where the caller runs, again after each conflict. Only a commit that waits for the disk runs on
    /// another thread.
    public nonisolated(nonsending) func transaction<R>(
        attempts: Int = 8, durability: Durability? = nil,
        _ body: (borrowing Store.Transaction) throws(StorageError) -> R
    ) async throws(StorageError) -> R {
        try await transaction(attempts, durability, body) { $0 }
    }

    /// Does the same for a `body` that throws errors of any type. The caller gets the error of `body` unchanged, and
    /// nothing has been written.
    public nonisolated(nonsending) func transaction<R>(
        attempts: Int = 8, durability: Durability? = nil, _ body: (borrowing Store.Transaction) throws -> R
    ) async throws -> R {
        try await transaction(attempts, durability, body) { $0 }
    }

    private nonisolated(nonsending) func transaction<R, Failure: Error>(
        _ attempts: Int, _ durability: Durability?, _ body: (borrowing Store.Transaction) throws(Failure) -> R,
        _ failure: (StorageError) -> Failure
    ) async throws(Failure) -> R {
        var attempt = 1
        while true {
            do throws(StorageError) {
                try await BlockingWork.checkCancellation()
                try core.requireOpen()
            } catch {
                throw failure(error)
            }
            let transaction = Engine.Transaction(core.engine)
            // A scan that escaped from a body that throws is refused as well.
            defer { transaction.end() }
            let result = try body(Store.Transaction(core, transaction))
            do throws(StorageError) {
                if commitsInline(durability), core.capacities.isEmpty {
                    try transaction.commit(durability: durability)
                } else {
                    try await BlockingWork.run { (_) throws(StorageError) in
                        try self.core.commit(transaction, durability)
                    }
                }
                return result
            } catch {
                guard error.code == .conflict, attempt < attempts else { throw failure(error) }
                attempt += 1
            }
        }
    }

    /// True if a commit needs no other thread: it is not synced, and writers are not slowed down.
    private func commitsInline(_ durability: Durability?) -> Bool {
        (durability ?? core.options.engine.durability) == .buffered && !core.engine.slowsWriters
    }
}

/// A batch that one thread makes and another one commits.
private final class HandedOver: @unchecked Sendable {
    // Used by one thread at a time: the caller until it suspends, then the thread that commits.
    private var batch: Store.Batch?

    init(_ batch: consuming Store.Batch) { self.batch = consume batch }

    var isCapped: Bool { batch?.isCapped ?? false }

    /// Takes the batch, once.
    func take() -> Store.Batch {
        guard let batch = batch.take() else { preconditionFailure("a batch is handed over twice") }
        return batch
    }

    func change<R, Failure: Error>(_ body: (inout Store.Batch) throws(Failure) -> R) throws(Failure) -> R {
        var batch = take()
        do throws(Failure) {
            let result = try body(&batch)
            self.batch = consume batch
            return result
        } catch {
            throw error
        }
    }
}
