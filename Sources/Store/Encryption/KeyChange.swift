import ShaleBase
import ShaleEngine
import ShalePlatform

extension Store.Namespace {
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
        progress: @escaping (KeyChangeProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> KeyChangeReport {
        try CallerError.relay(progress, { $0 }, through: rewriteValues)
    }

    /// Does the same for a `progress` that throws errors of any type. Its error reaches the caller unchanged.
    @discardableResult
    public func changeDataKey(
        progress: @escaping (KeyChangeProgress) throws -> Void
    ) throws -> KeyChangeReport {
        try CallerError.relay(progress, { $0 }, through: rewriteValues)
    }

    private func rewriteValues(
        _ progress: (KeyChangeProgress) throws(StorageError) -> Void
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
        try await BlockingWork.run(reportingTo: progress) { (report) throws(StorageError) in
            try self.changeDataKey(progress: report)
        }
    }

    /// True if a change of the data key has begun and not finished, or if values remain in a cipher that is no longer
    /// the namespace's.
    ///
    /// ``changeDataKey(progress:)`` finishes the change.
    public var hasUnfinishedKeyChange: Bool {
        get throws(StorageError) {
            guard let description = try state.description() else { return false }
            return try CatalogueOptions(bytes: description.options).dataKeys.hasSupersededKeys
        }
    }
}

/// The progress of a change of a data key.
public struct KeyChangeProgress: Sendable, Hashable {
    /// The number of entries examined, encrypted or not.
    public let examined: Int
    /// The number of values encrypted again.
    public let rewritten: Int
    /// The estimated fraction of the work that is done, 0 … 1. Never falls.
    public let fraction: Double

    package init(examined: Int, rewritten: Int, fraction: Double) {
        self.examined = examined
        self.rewritten = rewritten
        self.fraction = fraction
    }
}

/// The result of a change of a data key.
public struct KeyChangeReport: Sendable, Hashable {
    /// The number of values encrypted again.
    public let rewritten: Int
    /// True if this call finished a change that an earlier call had begun, using the key made then.
    public let isResumed: Bool

    package init(rewritten: Int, isResumed: Bool) {
        self.rewritten = rewritten
        self.isResumed = isResumed
    }
}

/// One run of a change of a namespace's data key. Used by one thread.
///
/// The new key is in the catalogue before it is used, and an old key stays there until no value needs it. At every
/// moment, and so after every crash, the catalogue holds the keys of all values.
struct KeyChange {
    /// The size of a transaction: it ends once its entries reach this many bytes.
    private static let stepBytes = 64 << 10
    private static let waitNanoseconds: UInt64 = 1_000_000

    let state: NamespaceState
    let id: NamespaceID
    let ring: KeyRing

    /// Changes the key. With `rewritesManifest` no file holds the old keys when this returns; without it the caller has
    /// to rewrite the manifest.
    func run(
        rewritesManifest: Bool = true, _ progress: (KeyChangeProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> KeyChangeReport {
        // Loads the options into the handle: sealing uses the handle's options, and no access may have loaded them yet.
        _ = try state.existing()
        let before = try state.loadKeys(id, ring)
        guard !before.options.dataKeys.isEmpty else { return KeyChangeReport(rewritten: 0, isResumed: false) }
        let isResumed = before.options.dataKeys.isChanging(cipher(before.options))
        if !isResumed { try beginKeys(after: before) }
        // From here on no write starts with an old key.
        let loaded = try state.loadKeys(id, ring)
        let wrapped = loaded.options.dataKeys
        let active = Set(wrapped.active(cipher(loaded.options)).map(\.id))
        guard !active.isEmpty else { return KeyChangeReport(rewritten: 0, isResumed: isResumed) }
        for key in loaded.keys.keys where !active.contains(key.id) {
            while key.isInUse {
                try progress(KeyChangeProgress(examined: 0, rewritten: 0, fraction: 0))
                sleepNanoseconds(KeyChange.waitNanoseconds)
            }
        }
        if PlantedBug.isActive(.retireKeysEarly) { try retire(wrapped, keeping: active) }
        let rewritten = try rewriteAll(wrapped, keeping: active, progress)
        try retire(wrapped, keeping: active)
        if rewritesManifest { try state.core.engine.rewriteManifest() }
        return KeyChangeReport(rewritten: rewritten, isResumed: isResumed)
    }

    private func cipher(_ options: CatalogueOptions) -> CipherID { options.cipher ?? ring.encryption.cipher.id }

    /// Adds a key to every slot in one edit of the catalogue.
    private func beginKeys(after before: NamespaceState.LoadedKeys) throws(StorageError) {
        let first = before.options.dataKeys.last?.id
        while true {
            let loaded = try state.loadKeys(id, ring)
            guard loaded.options.dataKeys.last?.id == first else { return }
            try state.addKeys(loaded.options.dataKeys.slots(cipher(loaded.options)), to: loaded, ring)
        }
    }

    /// Removes the old keys from the catalogue. The rewritten values are durable before: an edit of the catalogue syncs
    /// the log first.
    private func retire(_ wrapped: [WrappedKey], keeping active: Set<UInt32>) throws(StorageError) {
        let old = Set(wrapped.map(\.id)).subtracting(active)
        try state.core.catalogueLock.withLock { () throws(StorageError) in
            var options = try state.catalogueOptions(id)
            // Another run may have started. It added newer keys after this run read the options, and retires the old
            // ones itself.
            let now = Set(options.dataKeys.active(cipher(options)).map(\.id))
            guard active.isSubset(of: now) else { return }
            options.dataKeys.removeAll { old.contains($0.id) }
            try state.core.engine.setOptions(options.bytes, of: id)
        }
    }

    private func rewriteAll(
        _ wrapped: [WrappedKey], keeping active: Set<UInt32>,
        _ progress: (KeyChangeProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        let slots = Dictionary(wrapped.map { ($0.id, $0.slot) }) { $1 }
        let engine = state.core.engine
        let total = max(1, try engine.statistics(of: id).entries)
        var cursor = try engine.cursor(over: .all, in: id, readsValues: false)
        var examined = 0
        var rewritten = 0
        var step: [KeyChangeEntry] = []
        var stepBytes = 0
        func report() throws(StorageError) {
            try progress(
                KeyChangeProgress(
                    examined: examined, rewritten: rewritten,
                    fraction: min(1, Double(examined) / Double(total))))
        }
        while try cursor.next() {
            examined += 1
            if let entry = try KeyChangeEntry(cursor, unless: active) {
                if entry.isInPieces {
                    if try rewriteInPieces(entry.key, unless: active, slots) { rewritten += 1 }
                    try report()
                    continue
                }
                step.append(entry)
                stepBytes += entry.value.count + entry.key.count
            }
            guard stepBytes >= KeyChange.stepBytes || examined % 64 == 0 else { continue }
            rewritten += try rewrite(step, slots)
            step.removeAll(keepingCapacity: true)
            stepBytes = 0
            try report()
        }
        rewritten += try rewrite(step, slots)
        try report()
        return rewritten
    }

    /// Encrypts again those values that have not changed since the scan. A value overwritten since then is under the
    /// new key already.
    private func rewrite(
        _ entries: [KeyChangeEntry], _ slots: [UInt32: KeySlot]
    ) throws(StorageError) -> Int {
        guard !entries.isEmpty else { return 0 }
        return try state.core.engine.transaction(attempts: .max) { (transaction) throws(StorageError) in
            var count = 0
            for entry in entries {
                guard let now = try transaction.entry(forKey: entry.key, in: id), now.value == entry.value else {
                    continue
                }
                let plain = try unsafe state.opened(
                    now.value.span.bytes, entry.key.span.bytes, id, now.info)
                let options = PutOptions(
                    isPurgeable: now.info.isPurgeable, expiresAtMilliseconds: now.info.expiresAtMilliseconds)
                let chosen = slots[entry.dataKey].flatMap { $0.isChosen ? $0.cipher : nil }
                let sealed = try unsafe state.sealed(plain.span.bytes, entry.key.span.bytes, id, options, chosen)
                transaction.attach(sealed.use, as: ObjectIdentifier(sealed.use.key))
                try transaction.put(sealed.value, forKey: entry.key, in: id, options: options)
                count += 1
            }
            return count
        }
    }
}

/// An entry whose value is encrypted under an old key.
struct KeyChangeEntry {
    let key: [UInt8]
    /// The value; empty if it is in pieces.
    let value: [UInt8]
    let dataKey: UInt32
    let isInPieces: Bool

    /// Returns `nil` if the value is not encrypted, or is encrypted under one of the keys `active`. The cursor reads
    /// no value files.
    init?(_ cursor: borrowing Engine.Cursor, unless active: Set<UInt32>) throws(StorageError) {
        let found = try cursor.withParts {
            (entry) throws(StorageError) -> (dataKey: UInt32, isInPieces: Bool, value: [UInt8])? in
            // Of a value in a value file, the beginning tells whether the rest is needed.
            let beginning = ValueInfo.beginningBytes
            var isWhole = entry.isInMemory
            if !isWhole { isWhole = try !entry.withBytes(0..<beginning) { (value) in Envelope.isShort(value) } }
            let header = try entry.withBytes(0..<(isWhole ? entry.byteCount : beginning)) {
                (value) throws(StorageError) -> (dataKey: UInt32, isInPieces: Bool)? in
                if Envelope.isPlain(value) { return nil }
                let sealed = try SealedEnvelope(value)
                return (sealed.dataKey, sealed.layout != nil)
            }
            guard let header, !active.contains(header.dataKey) else { return nil }
            if header.isInPieces { return (header.dataKey, true, []) }
            return try entry.withBytes(0..<entry.byteCount) { (value) in (header.dataKey, false, value.array()) }
        }
        guard let found else { return nil }
        (dataKey, isInPieces, value) = found
        key = [UInt8](copying: cursor.key)
    }
}
