package import ShaleBase
import ShaleEngine

extension Store.Namespace {
    /// The source of a ``NamespaceReader``: a namespace, and the moment that it is read at.
    public struct Source: Sendable {
        enum Moment: Sendable {
            /// Each read sees its own moment.
            case now
            /// The id is that of the moment; `nil` if the namespace did not exist.
            case snapshot(Engine.Snapshot, Result<NamespaceID?, StorageError>)
            /// The moment of the transaction, and its own writes.
            case transaction(Engine.Transaction, in: StoreCore)
        }

        let state: NamespaceState
        let moment: Moment

        init(_ state: NamespaceState, _ moment: Moment) {
            self.state = state
            self.moment = moment
        }
    }
}

// MARK: Resolving

extension Store.Namespace.Source {
    /// Runs `body` with the namespace's id and the snapshot to read at; `nil` means the present. Returns `nil` if the
    /// namespace does not exist.
    func reading<R>(
        _ body: (NamespaceID, Engine.Snapshot?) throws(StorageError) -> R?
    ) throws(StorageError) -> R? {
        switch moment {
        case .now: return try state.reading { (id) throws(StorageError) in try body(id, nil) }
        case .snapshot(let snapshot, let known):
            guard let id = try idAtMoment(known) else { return nil }
            return try body(id, snapshot)
        case .transaction(let transaction, let core):
            guard let id = try core.readableID(state) else { return nil }
            return try body(id, transaction.snapshot)
        }
    }

    /// Returns the id that a namespace had at the moment of a snapshot. Throws `.namespaceDropped` if it was dropped
    /// since: a namespace of the same name that was created later is another one.
    private func idAtMoment(
        _ known: Result<NamespaceID?, StorageError>
    ) throws(StorageError) -> NamespaceID? {
        try state.core.requireOpen()
        guard let id = try known.get() else { return nil }
        guard try state.existing() == id else {
            throw StorageError(.namespaceDropped, "the namespace was dropped after the snapshot")
        }
        return id
    }
}

extension StoreCore {
    /// Returns the id of a namespace that a transaction reads, and creates the namespace. If it stayed missing, another
    /// writer could create it and write to it without a conflict being detected. Returns `nil` if the namespace does
    /// not exist in a read-only store.
    func readableID(_ state: NamespaceState) throws(StorageError) -> NamespaceID? {
        guard state.core === self else { throw .invalid("the namespace belongs to another store") }
        return options.engine.mode == .readOnly ? try state.existing() : try state.existingOrNew()
    }
}

// MARK: Single keys

extension Store.Namespace.Source {
    /// Passes the envelope of a key, decrypted if necessary, to `body`; returns `nil` if the key is missing.
    func withEnvelope<R>(
        _ key: RawSpan, _ body: (RawSpan) throws(StorageError) -> R
    ) throws(StorageError) -> R? {
        switch try begin(key) {
        case .stored: break
        case .removed: return nil
        case .written(let value, let info, let id):
            state.noteUse(key, id)
            return try unsafe state.withPlain(value.span.bytes, info, key, id, body)
        }
        return try reading { (id, snapshot) throws(StorageError) in
            try state.core.engine.withEntry(forKey: key, in: id, at: snapshot) { (found) throws(StorageError) in
                state.noteUse(key, id)
                return try state.withPlain(found, key, id, body)
            }
        }
    }

    func contains(_ key: RawSpan) throws(StorageError) -> Bool {
        switch try begin(key) {
        case .stored: break
        case .removed: return false
        case .written: return true
        }
        return try reading { (id, snapshot) throws(StorageError) in
            try state.core.engine.contains(key: key, in: id, at: snapshot)
        } ?? false
    }

    func info(_ key: RawSpan) throws(StorageError) -> ValueInfo? {
        switch try begin(key) {
        case .stored: break
        case .removed: return nil
        case .written(let value, let info, let id): return try unsafe ValueInfo(value.span.bytes, info, state, id)
        }
        return try reading { (id, snapshot) throws(StorageError) in
            try state.core.engine.withParts(forKey: key, in: id, at: snapshot) { (entry) throws(StorageError) in
                try info(entry, id)
            }
        }
    }

    /// Reads the beginning of a value in a value file, unless its header has fields of a later version.
    private func info(_ entry: PartialEntry, _ id: NamespaceID) throws(StorageError) -> ValueInfo {
        if !entry.isInMemory {
            let info = try entry.withBytes(0..<ValueInfo.beginningBytes) { (value) throws(StorageError) in
                Envelope.isShort(value)
                    ? try ValueInfo(beginning: value, byteCount: entry.byteCount, entry.info, state, id) : nil
            }
            if let info { return info }
        }
        return try entry.withBytes(0..<entry.byteCount) { (value) throws(StorageError) in
            try ValueInfo(value.span, entry.info, state, id)
        }
    }

    /// Returns a copy of the document of `key` with what is known of its entry; `nil` if the key is missing. Throws
    /// the errors of ``NamespaceReader/value(forKey:using:)``, except those of decoding.
    package func documentWithInfo(
        forKey key: [UInt8]
    ) throws(StorageError) -> (document: VersionedDocument, info: ValueInfo)? {
        try stored(key) { (value, info, id) throws(StorageError) in
            let document = try unsafe state.withPlain(value, info, key.span.bytes, id) { (plain) throws(StorageError) in
                try VersionedDocument(envelope: plain)
            }
            return (document, try ValueInfo(value, info, state, id))
        }
    }

    /// Returns a copy of the entry of `key`, decrypted if necessary; `nil` if the key is missing.
    func plainEntry(_ key: [UInt8]) throws(StorageError) -> PlainEntry? {
        try stored(key) { (value, info, id) throws(StorageError) in
            let envelope = try unsafe state.withPlain(value, info, key.span.bytes, id) { (plain) in
                [UInt8](copying: plain)
            }
            return PlainEntry(key: key, envelope: envelope, info: try ValueInfo(value, info, state, id))
        }
    }

    /// Passes the stored value of `key` to `read`; returns `nil` if the key is missing.
    @inline(__always)
    private func stored<R>(
        _ key: [UInt8], _ read: (RawSpan, EntryInfo, NamespaceID) throws(StorageError) -> R
    ) throws(StorageError) -> R? {
        switch try unsafe begin(key.span.bytes) {
        case .stored: break
        case .removed: return nil
        case .written(let value, let info, let id): return try unsafe read(value.span.bytes, info, id)
        }
        return try reading { (id, snapshot) throws(StorageError) in
            try unsafe state.core.engine.withEntry(forKey: key.span.bytes, in: id, at: snapshot) {
                (found) throws(StorageError) in
                unsafe state.noteUse(key.span.bytes, id)
                return try read(found.value.span, EntryInfo(found), id)
            }
        }
    }

    /// The place in which a reader finds a key.
    enum KeyState {
        /// The store, at the reader's moment.
        case stored
        /// A transaction has removed the key.
        case removed
        /// A transaction has written the key.
        case written([UInt8], EntryInfo, NamespaceID)
    }

    /// Begins to read a key. A transaction checks at its commit that a stored key has not changed.
    func begin(_ key: RawSpan) throws(StorageError) -> KeyState {
        guard case .transaction(let transaction, let core) = moment else { return .stored }
        guard let id = try core.readableID(state) else { return .removed }
        switch try transaction.read(key, in: id) {
        case .stored: return .stored
        case .removed: return .removed
        case .written(let value, let info): return .written(value, info, id)
        }
    }
}

// MARK: Marks

/// A moment at which a namespace was read.
package struct ReadMark: Sendable {
    fileprivate let mark: NamespaceMark
}

extension Store.Namespace.Source {
    /// Returns the mark of the moment at which a reader finds `key`; `nil` for a reader of the present, and for a key
    /// that a transaction has written itself.
    package func mark(of key: [UInt8]) throws(StorageError) -> ReadMark? {
        switch moment {
        case .now: return nil
        case .snapshot(let snapshot, let known):
            return try idAtMoment(known).map { ReadMark(mark: state.core.engine.mark(of: $0, at: snapshot)) }
        case .transaction(let transaction, let core):
            guard case .stored = try unsafe begin(key.span.bytes), let id = try core.readableID(state) else {
                return nil
            }
            return ReadMark(mark: core.engine.mark(of: id, at: transaction.snapshot))
        }
    }

    /// True if a reader is known to find `key` as it was at a mark, without a lookup. False also if that is not known.
    /// The key must be one that is neither purgeable nor expires. For a transaction the key counts as read.
    package func isUnchanged(_ key: [UInt8], since mark: ReadMark) throws(StorageError) -> Bool {
        switch moment {
        case .now: return false
        case .snapshot(let snapshot, let known):
            guard let id = try idAtMoment(known) else { return false }
            return try state.core.engine.isUnchanged(since: mark.mark, id, at: snapshot)
        case .transaction(let transaction, let core):
            guard let id = try core.readableID(state),
                try core.engine.isUnchanged(since: mark.mark, id, at: transaction.snapshot),
                case .stored = try unsafe transaction.read(key.span.bytes, in: id)
            else { return false }
            return true
        }
    }
}

// MARK: Several keys

extension Store.Namespace.Source {
    /// The number of keys whose lookups overlap: see ``read(documentsOf:into:)``.
    package static var lookAheadMax: Int { Engine.lookAheadMax }

    /// Returns the values of several keys, which `decode` gets as envelopes, decrypted if necessary; `nil` for each
    /// missing key. All of them are of one moment.
    func values<T>(
        _ keys: [[UInt8]], _ decode: (RawSpan) throws(StorageError) -> T
    ) throws(StorageError) -> [T?] {
        if case .transaction = moment {
            var values: [T?] = []
            for key in keys { values.append(try unsafe withEnvelope(key.span.bytes, decode)) }
            return values
        }
        return try reading { (id, snapshot) throws(StorageError) in
            var values: [T?] = []
            values.reserveCapacity(keys.count)
            try state.core.engine.withEntries(forKeys: keys, in: id, at: snapshot) {
                (index, found) throws(StorageError) in
                guard let found else { return values.append(nil) }
                let key = keys[index]
                unsafe state.noteUse(key.span.bytes, id)
                values.append(try unsafe state.withPlain(found, key.span.bytes, id, decode))
            }
            return values
        } ?? Array(repeating: nil, count: keys.count)
    }
}

// MARK: Ranges

/// A cursor and the namespace that it iterates over.
struct ReadPosition: ~Copyable {
    var cursor: ReadCursor
    let id: NamespaceID
}

extension Store.Namespace.Source {
    /// Returns a position before the first entry of a range; `nil` if the namespace does not exist.
    ///
    /// - Parameters:
    ///   - readsValues: False if the caller uses no value.
    ///   - readsMany: True if the caller expects to read many entries.
    func position(
        _ range: KeyRange, _ order: ScanOrder, readsValues: Bool = true, readsMany: Bool = false
    ) throws(StorageError) -> ReadPosition? {
        let engine = state.core.engine
        switch moment {
        case .now:
            while let id = try state.existing() {
                do throws(StorageError) {
                    return ReadPosition(
                        cursor: ReadCursor(
                            try engine.cursor(
                                over: range, in: id, order: order, readsValues: readsValues, readsMany: readsMany)),
                        id: id)
                } catch {
                    guard error.code == .namespaceDropped else { throw error }
                    state.forget(id)
                }
            }
            return nil
        case .snapshot(let snapshot, let known):
            guard let id = try idAtMoment(known) else { return nil }
            let cursor = try engine.cursor(
                over: range, in: id, order: order, at: snapshot, readsValues: readsValues, readsMany: readsMany)
            return ReadPosition(cursor: ReadCursor(cursor), id: id)
        case .transaction(let transaction, let core):
            guard let id = try core.readableID(state) else { return nil }
            return ReadPosition(cursor: try transaction.cursor(over: range, in: id, order: order), id: id)
        }
    }

    func count(_ range: KeyRange) throws(StorageError) -> Int {
        try reading { (id, snapshot) throws(StorageError) in
            if case .transaction(let transaction, _) = moment { return try transaction.count(over: range, in: id) }
            return try state.core.engine.count(over: range, in: id, at: snapshot)
        } ?? 0
    }
}
