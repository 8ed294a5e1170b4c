public import ShaleBase
import ShaleEngine
import ShalePlatform

extension Store {
    /// Returns the newest state of a store that was opened with ``Engine/Options/Mode/readOnly``, as another read-only
    /// store.
    ///
    /// ```swift
    /// reader = try reader.refreshed()
    /// let count = try reader.common["orders"].count()
    /// ```
    ///
    /// The new state has every write, purge and drop that returned in the process that has the store open for writing
    /// before the call, and it is never older than one returned before. This store and everything taken from it
    /// continue to show their own state, until they are closed or released. Take namespaces from the new store again;
    /// the current user is the same.
    ///
    /// Returns this store if nothing has changed since, and also if it was opened for writing.
    ///
    /// - Complexity: Without news some tens of microseconds. Otherwise proportional to what was written since, and to
    ///   the number of segments.
    /// - Throws: The errors of opening. `.outdated` if the directory holds an older or another store now: open it
    ///   again. This store stays as it is.
    public func refreshed() throws(StorageError) -> Store {
        try core.requireOpen()
        let engine = try core.engine.refreshed()
        guard engine !== core.engine else { return self }
        return Store(try core.successor(engine))
    }

    /// Returns the newest state, as the `refreshed` that blocks does.
    public nonisolated(nonsending) func refreshed() async throws(StorageError) -> Store {
        try await BlockingWork.run { (_) throws(StorageError) in try self.refreshed() }
    }
}

extension StoreCore {
    /// Returns a core for a newer state.
    fileprivate func successor(_ engine: Engine) throws(StorageError) -> StoreCore {
        let core = StoreCore(
            engine: engine, path: path, options: options, codecs: codecs, keyRing: try keyRing?.successor(),
            lease: nil)
        if let user = currentUser.id { core.currentUser.change(to: user) }
        return core
    }
}
