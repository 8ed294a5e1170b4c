public import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform

extension Engine {
    /// Reads at one moment, and writes that are applied only if nothing that was read has changed since.
    ///
    /// A transaction is optimistic: it locks nothing in the store while it runs. ``commit(durability:)`` checks every
    /// key and range that was read. It throws `.conflict` if one was written after the moment, or if its namespace was
    /// purged or truncated, and `.namespaceDropped` if it was dropped. Reads and scans see the transaction's own
    /// writes. May be used from any thread.
    public final class Transaction: @unchecked Sendable {
        private let engine: Engine
        package let snapshot: Engine.Snapshot

        // The state below is guarded by the lock, which no call holds while it reads from the engine. So access is
        // exclusive, and the checks of it, which would take a tenth of a short transaction, are left out.
        private let lock = Lock()
        @exclusivity(unchecked)
        private var readKeys = ReadKeys()
        @exclusivity(unchecked)
        private var scans: [ScanExtent] = []
        @exclusivity(unchecked)
        private var own = OwnWrites()
        @exclusivity(unchecked)
        private var batch = WriteBatch(capacity: 512)
        /// True if an entry to write is purgeable.
        @exclusivity(unchecked)
        private var writesPurgeable = false
        private var attachments: [ObjectIdentifier: AnyObject] = [:]
        @exclusivity(unchecked)
        private var hasEnded = false

        package init(_ engine: Engine) {
            self.engine = engine
            snapshot = engine.snapshot()
        }

        /// Returns the value of `key` as this transaction sees it.
        public func value(forKey key: [UInt8], in namespace: NamespaceID) throws(StorageError) -> [UInt8]? {
            try entry(forKey: key, in: namespace)?.value
        }

        /// Returns the entry of `key` as this transaction sees it.
        package func entry(
            forKey key: [UInt8], in namespace: NamespaceID
        ) throws(StorageError) -> (value: [UInt8], info: EntryInfo)? {
            switch try unsafe read(key.span.bytes, in: namespace) {
            case .written(let value, let info): return (value, info)
            case .removed: return nil
            case .stored: break
            }
            return try unsafe engine.withEntry(forKey: key.span.bytes, in: namespace, at: snapshot) { (found) in
                (found.value.array(), EntryInfo(found))
            }
        }

        /// The place in which a transaction finds a key.
        package enum KeyState {
            /// The transaction has not written the key: it reads what the store has at ``snapshot``.
            case stored
            /// The transaction has removed the key, or its value has expired.
            case removed
            case written([UInt8], EntryInfo)
        }

        /// Begins to read a key. A stored one must not have changed at the commit.
        package func read(_ key: RawSpan, in namespace: NamespaceID) throws(StorageError) -> KeyState {
            try unsafe key.withUnsafeBytes { (key) throws(StorageError) -> KeyState in
                let key = unsafe Bytes(key)
                return try lock.withLock { () throws(StorageError) -> KeyState in
                    try requireRunning()
                    let hash = KeyHasher.ofProcess.hash(namespace, key)
                    unsafe own.noteAll(in: batch.encoder.bytes)
                    guard let write = unsafe own.operation(namespace, key, hash: hash, in: batch.encoder.bytes) else {
                        unsafe readKeys.insert(namespace, key, hash: hash)
                        return .stored
                    }
                    guard write.isPresent(at: engine.core.clock) else { return .removed }
                    let value = write.value.array()
                    return .written(value, EntryInfo(write.options, valueByteCount: value.count))
                }
            }
        }

        /// Returns true if none of some keys exists, and if the transaction has read and written none of them before.
        /// So the keys differ from each other, too. All of them count as read.
        ///
        /// The keys are looked up in groups, whose cache misses overlap.
        package func areNew(_ keys: KeyList, in namespace: NamespaceID) throws(StorageError) -> Bool {
            var areNew = true
            try lock.withLock { () throws(StorageError) in
                try requireRunning()
                unsafe own.noteAll(in: batch.encoder.bytes)
                try keys.withBytes { (bytes) throws(StorageError) in
                    for index in 0..<keys.count {
                        let range = keys.range(index)
                        let key = bytes.slice(range.lowerBound, range.count)
                        if !isFirstUse(of: key, in: namespace) { areNew = false }
                    }
                }
            }
            guard areNew else { return false }
            try engine.withEntries(forKeys: keys, in: namespace, at: snapshot) { (_, found) in
                if found != nil { areNew = false }
            }
            return areNew
        }

        /// Counts a key as read unless the transaction has written it. Returns false if it was read or written before.
        /// Requires the lock.
        private func isFirstUse(of key: Bytes, in namespace: NamespaceID) -> Bool {
            let hash = KeyHasher.ofProcess.hash(namespace, key)
            if unsafe own.operation(namespace, key, hash: hash, in: batch.encoder.bytes) != nil { return false }
            return unsafe readKeys.insert(namespace, key, hash: hash)
        }

        /// Returns the entries of `range` as this transaction sees them, in order, at most `limit`.
        ///
        /// If another writer adds, changes or removes an entry in the part of the range that was read, the commit
        /// throws `.conflict`. That part ends with the last entry returned if `limit` was reached, and is the whole
        /// range otherwise.
        public func entries(
            over range: KeyRange, in namespace: NamespaceID, order: ScanOrder = .forward, limit: Int = .max
        ) throws(StorageError) -> [(key: [UInt8], value: [UInt8])] {
            var cursor = try cursor(over: range, in: namespace, order: order)
            var entries: [(key: [UInt8], value: [UInt8])] = []
            while entries.count < limit, try cursor.next() {
                entries.append(cursor.withCurrent { (key, value, _) in (key.array(), value.array()) })
            }
            return entries
        }

        /// Returns a cursor over the entries of `range` as this transaction sees them now. Later writes of the
        /// transaction don't change what it delivers.
        package func cursor(
            over range: KeyRange, in namespace: NamespaceID, order: ScanOrder = .forward
        ) throws(StorageError) -> ReadCursor {
            let extent = ScanExtent(range, namespace, order)
            let overlay = try begin(extent)
            let stored = try engine.cursor(over: range, in: namespace, order: order, at: snapshot)
            return ReadCursor(stored, in: self, extent, order == .forward ? overlay : overlay.reversed(), order)
        }

        /// Returns the number of entries of `range` as this transaction sees them. The whole range counts as read.
        ///
        /// - Complexity: That of ``Engine/count(over:in:at:)``, plus a lookup for each own write in the range.
        package func count(over range: KeyRange, in namespace: NamespaceID) throws(StorageError) -> Int {
            let extent = ScanExtent(range, namespace, .forward)
            let overlay = try begin(extent)
            try note(extent, .end)
            var count = try engine.count(over: range, in: namespace, at: snapshot)
            for entry in overlay {
                let isStored = try unsafe engine.contains(key: entry.key.span.bytes, in: namespace, at: snapshot)
                count += (entry.value == nil ? 0 : 1) - (isStored ? 1 : 0)
            }
            return count
        }

        /// Counts a range as read, for a caller that has read it at ``snapshot``. If another writer adds, changes or
        /// removes an entry in the range, the commit throws `.conflict`.
        package func noteRead(of range: KeyRange, in namespace: NamespaceID) throws(StorageError) {
            let extent = ScanExtent(range, namespace, .forward)
            extent.position = .end
            try lock.withLock { () throws(StorageError) in
                try requireRunning()
                unsafe scans.append(extent)
            }
        }

        /// Registers a scan, and returns the own writes in its range, in ascending order of their keys.
        private func begin(_ extent: ScanExtent) throws(StorageError) -> [OwnEntry] {
            try lock.withLock { () throws(StorageError) in
                try requireRunning()
                unsafe scans.append(extent)
                unsafe own.noteAll(in: batch.encoder.bytes)
                return unsafe own.entries(
                    over: extent.range, in: extent.namespace, at: engine.core.clock, in: batch.encoder.bytes)
            }
        }

        /// Records how far a scan has read.
        func note(_ extent: ScanExtent, _ position: ScanExtent.Position) throws(StorageError) {
            try lock.withLock { () throws(StorageError) in
                try requireRunning()
                extent.position = position
            }
        }

        public func put(
            _ value: [UInt8], forKey key: [UInt8], in namespace: NamespaceID, options: PutOptions = .init()
        ) throws(StorageError) {
            try unsafe put(value.span.bytes, forKey: key.span.bytes, in: namespace, options: options)
        }

        package func put(
            _ value: RawSpan, forKey key: RawSpan, in namespace: NamespaceID, options: PutOptions
        ) throws(StorageError) {
            try lock.withLock { () throws(StorageError) in
                try requireRunning()
                try unsafe batch.put(value, forKey: key, in: namespace, options: options)
                if options.isPurgeable { unsafe writesPurgeable = true }
            }
        }

        public func delete(_ key: [UInt8], in namespace: NamespaceID) throws(StorageError) {
            try lock.withLock { () throws(StorageError) in
                try requireRunning()
                try unsafe batch.delete(key.span.bytes, in: namespace)
            }
        }

        /// The bytes of the purgeable entries to write, by namespace. Each counts 4 bytes more than its key and value,
        /// as in ``NamespaceStatistics/purgeableRawBytes``.
        package var purgeableBytes: [NamespaceID: Int64] {
            lock.withLock {
                guard unsafe writesPurgeable else { return [:] }
                unsafe own.noteAll(in: batch.encoder.bytes)
                return unsafe own.purgeableBytes(in: batch.encoder.bytes)
            }
        }

        /// The number of bytes that the writes take in the log.
        package var byteCount: Int { lock.withLock { unsafe batch.byteCount } }

        /// Keeps an object alive until the transaction ends, committed or not. One for each `identifier`.
        package func attach(_ object: AnyObject, as identifier: ObjectIdentifier) {
            lock.withLock { if unsafe !hasEnded { attachments[identifier] = object } }
        }

        /// Ends the transaction without applying its writes. Every later call throws `.invalidArgument`.
        package func end() { lock.withLock { unsafe hasEnded = true } }

        /// Requires the lock.
        private func requireRunning() throws(StorageError) {
            if unsafe hasEnded { throw .invalid("the transaction has ended") }
        }

        /// Applies the writes, or throws `.conflict` and applies nothing. Call it at most once; it ends the
        /// transaction.
        public func commit(durability: Durability? = nil) throws(StorageError) {
            var writes = WriteBatch()
            let ranges = try lock.withLock { () throws(StorageError) in
                try requireRunning()
                unsafe hasEnded = true
                unsafe swap(&writes, &batch)
                return unsafe scans.compactMap { scan in scan.readRange.map { (range: $0, namespace: scan.namespace) } }
            }
            let core = engine.core
            defer { withExtendedLifetime(attachments) {} }
            try core.commit(&writes.encoder, durability ?? core.options.durability) { [self] () throws(StorageError) in
                try unsafe core.checkUnchanged(readKeys, since: snapshot.readPoint)
                for (range, namespace) in ranges {
                    try core.checkUnchanged(range, in: namespace, since: snapshot.readPoint)
                }
            }
        }
    }
}

extension Engine {
    /// Runs `body` in a transaction and commits it.
    ///
    /// On a conflict `body` runs again with a new moment, at most `attempts` times in total; then `.conflict` is
    /// thrown. An error of `body` ends the transaction: nothing is written, and the caller gets that error.
    public func transaction<R>(
        attempts: Int = 8, durability: Durability? = nil, _ body: (Engine.Transaction) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try transaction(attempts, durability, body) { $0 }
    }

    /// Does the same for a `body` that throws errors of any type.
    public func transaction<R>(
        attempts: Int = 8, durability: Durability? = nil, _ body: (Engine.Transaction) throws -> R
    ) throws -> R {
        try transaction(attempts, durability, body) { $0 }
    }

    /// Runs a transaction. `failure` converts the errors of `commit`, which commits it once.
    package func transaction<R, Failure: Error>(
        _ attempts: Int, _ durability: Durability?, _ body: (Engine.Transaction) throws(Failure) -> R,
        _ failure: (StorageError) -> Failure,
        committing commit: (Engine.Transaction, Durability?) throws(StorageError) -> Void = {
            (transaction, durability) throws(StorageError) in try transaction.commit(durability: durability)
        }
    ) throws(Failure) -> R {
        var attempt = 1
        while true {
            let transaction = Engine.Transaction(self)
            defer { transaction.end() }
            let result = try body(transaction)
            do throws(StorageError) {
                try commit(transaction, durability)
                return result
            } catch {
                guard error.code == .conflict, attempt < attempts else { throw failure(error) }
                attempt += 1
            }
        }
    }
}
