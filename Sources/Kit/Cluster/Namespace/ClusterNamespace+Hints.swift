public import ShaleBase

/// A hint that a namespace on a cluster may have changed.
public enum ClusterHint: Sendable, Hashable {
    /// A client announced a change of this key.
    case changed(EntryKey)
    /// Announcements may have been missed. Read again what matters.
    case missed
}

extension ClusterNamespace {
    /// Tells the readers of ``hints()`` of all clients that a key has changed.
    ///
    /// Writes announce nothing by themselves: an announcement is an operation that waits for every watching client, at
    /// most for 5 s. A client that does not answer gets ``ClusterHint/missed``.
    ///
    /// - Throws: The errors of a read; `.invalidArgument` for a key over 16 KiB.
    public nonisolated(nonsending) func announce(_ key: some StoreKey) async throws(StorageError) {
        let key = try key.keyBytes
        try ClusterNamespace.checkKey(key)
        do throws(PoolFailure) {
            try await core.pool.notify(recordObject, key)
        } catch {
            throw error.readError
        }
    }

    /// Returns hints of changes that clients announce from now on.
    ///
    /// Hints are not a log: they come late, twice, or not at all if this client was not connected, which
    /// ``ClusterHint/missed`` then says. At most 1 024 unread hints are kept, the newest ones. Read the key after a
    /// hint; its entry tells what has happened.
    ///
    /// ```swift
    /// for await hint in try await carts.hints() { print(hint) }
    /// ```
    /// The stream ends with the connection, or when its reader ends.
    ///
    /// - Throws: The errors of a read.
    public nonisolated(nonsending) func hints() async throws(StorageError) -> AsyncStream<ClusterHint> {
        let (stream, continuation) = AsyncStream<ClusterHint>.makeStream(bufferingPolicy: .bufferingNewest(1_024))
        let watch: any PoolWatch
        do throws(PoolFailure) {
            watch = try await core.pool.watch(recordObject) { event in
                switch event {
                case .notified(let key): continuation.yield(.changed(EntryKey(key)))
                case .interrupted: continuation.yield(.missed)
                case .ended: continuation.finish()
                }
            }
        } catch {
            throw error.readError
        }
        continuation.onTermination = { _ in watch.end() }
        return stream
    }
}
