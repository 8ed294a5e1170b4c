import ShaleBase
import ShalePlatform

/// One run of a change of a namespace's data key. Used by one thread.
///
/// The new key is in the catalogue before it is used, the old ones until no value needs them: at every moment, and so after
/// every crash, the catalogue has the keys of all values.
struct KeyChange {
    /// Bytes of values after which a transaction ends.
    private static let stepBytes = 64 << 10
    private static let waitNanoseconds: UInt64 = 1_000_000

    let state: NamespaceState
    let id: NamespaceID
    let ring: KeyRing

    /// `rewritesManifest`: so that no file holds the old keys when this returns; otherwise that is left to the caller.
    func run(
        rewritesManifest: Bool = true, _ progress: (KeyChangeProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> KeyChangeReport {
        let before = try state.loadKeys(id, ring).wrapped
        guard !before.isEmpty else { return KeyChangeReport(rewritten: 0, isResumed: false) }
        let isResumed = before.count > 1 && before.last?.cipher == ring.encryption.cipher.id
        if !isResumed { try beginKey(after: before) }
        // From here on nothing begins under an old key.
        let (_, wrapped, keys) = try state.loadKeys(id, ring)
        guard let active = wrapped.last?.id else { return KeyChangeReport(rewritten: 0, isResumed: isResumed) }
        for key in keys.keys.dropLast() {
            while key.isInUse {
                try progress(KeyChangeProgress(examined: 0, rewritten: 0, fraction: 0))
                sleepNanoseconds(KeyChange.waitNanoseconds)
            }
        }
        if PlantedBug.isActive(.retireKeysEarly) { try retire(wrapped) }
        let rewritten = try rewriteAll(active, progress)
        try retire(wrapped)
        if rewritesManifest { try state.core.engine.rewriteManifest() }
        return KeyChangeReport(rewritten: rewritten, isResumed: isResumed)
    }

    private func beginKey(after wrapped: [WrappedKey]) throws(StorageError) {
        var current = wrapped
        while current.last?.id == wrapped.last?.id {
            let (master, latest, keys) = try state.loadKeys(id, ring)
            try state.addKey(to: latest, keys, of: id, ring, master)
            current = try state.catalogueOptions(id).dataKeys
        }
    }

    /// Takes the old keys out of the catalogue. Rewritten values are durable before: an edit of the
    /// catalogue makes the log durable first.
    private func retire(_ wrapped: [WrappedKey]) throws(StorageError) {
        try state.core.catalogueLock.withLock { () throws(StorageError) in
            var options = try state.catalogueOptions(id)
            // Another run may have begun; then the next key was not there when this one looked.
            guard let active = wrapped.last, options.dataKeys.last?.id == active.id else { return }
            options.dataKeys.removeAll { $0.id != active.id }
            try state.core.engine.setOptions(options.bytes, of: id)
        }
    }

    private func rewriteAll(
        _ active: UInt32, _ progress: (KeyChangeProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        let engine = state.core.engine
        let total = max(1, try engine.statistics(of: id).entries)
        var cursor = try engine.cursor(in: id)
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
                step.append(entry)
                stepBytes += entry.value.count + entry.key.count
            }
            guard stepBytes >= KeyChange.stepBytes || examined % 64 == 0 else { continue }
            rewritten += try rewrite(step)
            step.removeAll(keepingCapacity: true)
            stepBytes = 0
            try report()
        }
        rewritten += try rewrite(step)
        try report()
        return rewritten
    }

    /// Encrypts values anew that are still the same; who was overwritten meanwhile has the new key already.
    private func rewrite(_ entries: [KeyChangeEntry]) throws(StorageError) -> Int {
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
                let sealed = try unsafe state.sealed(plain.span.bytes, entry.key.span.bytes, id, options)
                transaction.attach(sealed.use, as: ObjectIdentifier(sealed.use.key))
                try transaction.put(sealed.value, forKey: entry.key, in: id, options)
                count += 1
            }
            return count
        }
    }
}

/// An entry whose value an old key encrypts.
struct KeyChangeEntry {
    let key: [UInt8]
    let value: [UInt8]

    /// `nil` when the value is in the clear, or under the key `active` already.
    init?(_ cursor: borrowing Cursor, unless active: UInt32) throws(StorageError) {
        let isDone = try unsafe cursor.value.withUnsafeBytes { (buffer) throws(StorageError) in
            let value = unsafe Bytes(buffer)
            if Envelope.isPlain(value) { return true }
            return try SealedEnvelope(value).dataKey == active
        }
        guard !isDone else { return nil }
        key = [UInt8](copying: cursor.key)
        value = [UInt8](copying: cursor.value)
    }
}
