package import ShaleBase

/// Access for modules that build on namespaces.
extension Store.Namespace {
    /// Runs `body` as a transaction of the namespace's store, again after each conflict, at most `attempts` times.
    package func transaction<R>(
        attempts: Int = .max, durability: Durability? = nil,
        _ body: (borrowing Store.Transaction) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let core = state.core
        try core.requireOpen()
        return try core.engine.transaction(attempts: attempts, durability: durability) {
            (transaction) throws(StorageError) in try body(Store.Transaction(core, transaction))
        }
    }

    /// Returns the namespace's store as it is now.
    package func snapshot() throws(StorageError) -> Store.Snapshot {
        try state.core.requireOpen()
        return Store.Snapshot(state.core)
    }

    /// Returns options that say everything that a write with `options` would take from the namespace now. Two entries
    /// that are written with the result expire at the same time. Creates the namespace if it does not exist.
    package func resolved(_ options: ValueOptions) throws(StorageError) -> ValueOptions {
        _ = try state.existingOrNew()
        let put = state.putOptions(options)
        return [
            put.isPurgeable ? .purgeable : .notPurgeable,
            put.expiresAtMilliseconds.map { .expires(atMilliseconds: $0) } ?? .neverExpires,
            state.encrypts(options) ? options.cipher.map { .encrypted(with: $0) } ?? .encrypted : .notEncrypted,
        ]
    }

    /// True if values are encrypted when their options leave that to the namespace.
    package var encryptsByDefault: Bool {
        get throws(StorageError) { try state.existing() != nil && state.encrypts([]) }
    }

    /// True if the store was opened for reading only.
    package var isReadOnly: Bool {
        get throws(StorageError) {
            try state.core.requireOpen()
            return state.core.options.engine.mode == .readOnly
        }
    }

    /// The store's clock.
    package var wallMilliseconds: Int64 { state.core.engine.wallMilliseconds }

    /// The sequences through which the namespace was truncated and purged; 0 for never, or if it does not exist.
    package var erasures: (truncatedThrough: SequenceNumber, purgedThrough: SequenceNumber) {
        get throws(StorageError) {
            try state.reading { (id) throws(StorageError) in try state.core.engine.erasures(of: id) } ?? (0, 0)
        }
    }
}

extension ValueOptions {
    /// True if the options name encryption.
    package var namesEncryption: Bool { isEncrypted == true }
}
