import ShaleBase

extension Namespace {
    /// Makes a new data key for the namespace, encrypts every encrypted value again under it, and then removes the old
    /// keys.
    ///
    /// Reads and writes continue meanwhile, with both keys. If `progress` throws, or the process is killed at any
    /// point, the namespace keeps both keys and every value can be read. The next call then finishes that change
    /// (``KeyChangeReport/isResumed``); no other change can begin before.
    ///
    /// `progress` is called at least every 64 entries, and while the call waits for writes that began under an old key.
    /// If the caller itself holds such a batch or transaction open, the call waits until `progress` throws.
    ///
    /// A value whose cipher came from the namespace or the store gets the cipher that these name now. A value whose
    /// write named a cipher (``ValueOptions/encrypted(with:)``) keeps that cipher.
    ///
    /// Rewritten values keep codec, purgeability and expiry; their time of writing becomes now. Old ciphertext takes
    /// space until compaction removes it; scans and snapshots that began before can still read it. The calling thread
    /// does the work. A namespace without encrypted values is left unchanged.
    ///
    /// - Throws: The errors of getting and setting, and the errors of `progress`. A value that can't be decrypted stops
    ///   the change before its key is removed.
    /// - Complexity: O(entries).
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

    /// Does the same on a separate thread. Cancelling the task stops the change with `.cancelled`.
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

    /// True if a change of the data key has begun and not finished, or if values remain in a cipher that is no longer
    /// the namespace's.
    ///
    /// ``changeDataKey(progress:)`` finishes the change.
    public var hasUnfinishedKeyChange: Bool {
        get throws(StorageError) {
            guard let description = try state.description() else { return false }
            return try CatalogueOptions(bytes: description.options).dataKeys.hasSeveralInALane
        }
    }
}
