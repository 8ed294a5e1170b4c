import ShaleBase

extension Namespace {
    /// Makes a new data key for the namespace, encrypts every encrypted value anew under it, and then removes the old keys.
    ///
    /// Reading and writing go on meanwhile, with both keys. Cancelled, by what `progress` throws, or killed at any point, it
    /// leaves a namespace with both keys in which everything can be read; called again it finishes that change
    /// (``KeyChangeReport/isResumed``) before another can begin. `progress` is called every few dozen entries, and while writes
    /// that began under an old key are waited for: a batch or transaction that the caller itself holds open is waited for
    /// until `progress` throws.
    ///
    /// Values whose cipher came from the namespace or the store get the one that these name now; values whose writes
    /// named a cipher (``ValueOptions/encrypted(with:)``) keep it.
    ///
    /// Rewritten values keep codec, purgeability and expiry, and count as written now. Old ciphertext takes space until
    /// compaction meets it; scans and snapshots that began before still read it. O(entries), on the calling thread.
    ///
    /// Errors: those of getting and setting, and what `progress` throws. A value that can't be decrypted stops it, before
    /// its key is lost. Does nothing to a namespace without encrypted values.
    @discardableResult
    public func changeDataKey(
        progress: (KeyChangeProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> KeyChangeReport {
        let ring = try state.core.requireKeyRing()
        while let id = try state.existing() {
            do throws(StorageError) {
                return try KeyChange(state: state, id: id, ring: ring).run(progress)
            } catch {
                guard error.code == .namespaceDropped else { throw error }
                state.forget(id)
            }
        }
        return KeyChangeReport(rewritten: 0, isResumed: false)
    }

    /// The same on a thread of its own. Cancelling the task stops it with `.cancelled`.
    @discardableResult
    public nonisolated(nonsending) func changeDataKey(
        progress: @escaping @Sendable (KeyChangeProgress) -> Void = { _ in }
    ) async throws(StorageError) -> KeyChangeReport {
        try await OwnThread.run("shale-keys") { (cancellation) throws(StorageError) in
            try self.changeDataKey { (step) throws(StorageError) in
                progress(step)
                try cancellation.check()
            }
        }
    }

    /// Whether a change of the data key has begun and not been finished, or values of another cipher are left:
    /// ``changeDataKey(progress:)`` finishes it.
    public var hasUnfinishedKeyChange: Bool {
        get throws(StorageError) {
            guard let description = try state.description() else { return false }
            return try CatalogueOptions(bytes: description.options).dataKeys.hasSeveralInALane
        }
    }
}
