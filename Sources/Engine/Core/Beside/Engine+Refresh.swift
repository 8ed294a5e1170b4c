public import ShaleBase
import Synchronization

extension Engine {
    /// Returns the newest state of a store that was opened with ``Options/Mode/readOnly``, as another read-only engine.
    ///
    /// ```swift
    /// var reader = try Engine.open(at: path, options: options)
    /// while isRunning {
    ///     reader = try reader.refreshed()
    ///     try show(reader)
    /// }
    /// ```
    ///
    /// The new state has every batch and control operation that returned in the owner's process before the call, and of
    /// concurrent ones a prefix. It is never older than one returned before. This engine, and its cursors and
    /// snapshots, continue to show their own state. They hold its files until they are closed or released, within the
    /// owner's bounds: ``Options/readerTimeMax`` and ``Options/readerBytesMax``.
    ///
    /// Returns this engine if the store has not changed since, and also if it was opened for writing.
    ///
    /// The first read of the new state inserts the batches that are only in logs into memtables. It costs several times
    /// as much as the refresh. A state that is never read costs none of that.
    ///
    /// - Complexity: Without news some system calls, tens of microseconds. Otherwise proportional to what was added to
    ///   manifest and logs. A call waits for one of another thread.
    /// - Throws: The errors of opening. `.outdated` if the directory holds an older or another store now: open it
    ///   again. This engine stays as it is.
    public func refreshed() throws(StorageError) -> Engine {
        try core.committer.requireOwnProcess()
        guard !core.gate.isClosed else { throw EngineCore.closedError }
        guard let followed = core.followed,
            let opened = try followed.follower.refreshed(from: followed.generation)
        else { return self }
        return Engine(EngineCore(opened, options: core.options, environment: core.environment))
    }
}

extension Engine {
    /// True if the engine was opened beside the owner of the store, with ``Options/Mode/readOnly``.
    package var isReadOnly: Bool { core.followed != nil }
}
