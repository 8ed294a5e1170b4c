public import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform

/// Reads at one moment, and writes that are applied only if nothing that was read has changed since.
///
/// A transaction is optimistic: it locks nothing while it runs. ``commit(durability:)`` checks every key and range that
/// was read. It throws `.conflict` if one was written after the moment, or if its namespace was purged or truncated,
/// and `.namespaceDropped` if it was dropped. `value` sees the transaction's own writes; scans don't. Use a transaction
/// from one thread at a time.
public final class Transaction {
    private let engine: Engine
    private let snapshot: Snapshot
    private var readKeys: Set<[UInt8]> = []
    private var readRanges: [(range: KeyRange, namespace: NamespaceID)] = []
    private var written: [[UInt8]: (value: [UInt8], options: PutOptions)?] = [:]
    private var batch = WriteBatch()
    private var attachments: [ObjectIdentifier: AnyObject] = [:]

    init(_ engine: Engine) {
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
        let encoded = EncodedKey.start(of: namespace) + key
        if let own = written[encoded] {
            return own.map { ($0.value, EntryInfo($0.options, valueByteCount: $0.value.count)) }
        }
        readKeys.insert(encoded)
        return try unsafe engine.withEntry(forKey: key.span.bytes, in: namespace, at: snapshot) { (found) in
            (found.value.array(), EntryInfo(found))
        }
    }

    /// Returns the stored entries of `range`. A key that appears or vanishes in it before the commit is a conflict too.
    public func entries(
        over range: KeyRange, in namespace: NamespaceID, limit: Int = .max
    ) throws(StorageError) -> [(key: [UInt8], value: [UInt8])] {
        readRanges.append((range, namespace))
        return try engine.entries(over: range, in: namespace, at: snapshot, limit: limit)
    }

    public func put(
        _ value: [UInt8], forKey key: [UInt8], in namespace: NamespaceID, _ options: PutOptions = .init()
    ) throws(StorageError) {
        try unsafe batch.put(value.span.bytes, forKey: key.span.bytes, in: namespace, options)
        written[EncodedKey.start(of: namespace) + key] = .some((value, options))
    }

    public func delete(_ key: [UInt8], in namespace: NamespaceID) throws(StorageError) {
        try unsafe batch.delete(key.span.bytes, in: namespace)
        written[EncodedKey.start(of: namespace) + key] = .some(nil)
    }

    /// Keeps an object alive until the transaction ends, committed or not. One for each `identifier`.
    package func attach(_ object: AnyObject, as identifier: ObjectIdentifier) { attachments[identifier] = object }

    /// Applies the writes, or throws `.conflict` and applies nothing. Call it at most once.
    public func commit(durability: Durability? = nil) throws(StorageError) {
        var own = WriteBatch()
        swap(&own, &batch)
        let core = engine.core
        defer { withExtendedLifetime(attachments) {} }
        try core.commit(&own.encoder, durability ?? core.options.durability) { [self] () throws(StorageError) in
            for key in readKeys { try core.checkUnchanged(key, since: snapshot.readPoint) }
            for (range, namespace) in readRanges {
                try core.checkUnchanged(range, in: namespace, since: snapshot.readPoint)
            }
        }
    }
}

extension Engine {
    /// Runs `body` in a transaction and commits it.
    ///
    /// On a conflict `body` runs again with a new moment, at most `attempts` times in total; then `.conflict` is
    /// thrown.
    public func transaction<R>(
        attempts: Int = 8, durability: Durability? = nil, _ body: (Transaction) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        var attempt = 1
        while true {
            let transaction = Transaction(self)
            let result = try body(transaction)
            do {
                try transaction.commit(durability: durability)
                return result
            } catch {
                guard error.code == .conflict, attempt < attempts else { throw error }
                attempt += 1
            }
        }
    }
}
