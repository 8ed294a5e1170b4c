public import Shale
import ShaleBase

/// The result of comparing the records of a collection with its indexes.
public struct CollectionVerification: Sendable {
    /// The number of records.
    public internal(set) var records = 0
    /// The ready indexes, each with what was found in it.
    public internal(set) var indexes: [Index] = []
    /// The records that can't be read. At most 100.
    public internal(set) var failures: [RecordFailure] = []

    /// The number of index entries.
    public var entries: Int { indexes.reduce(0) { $0 + $1.entries } }
    /// The number of entries that are missing, name another record, or expire at another time than their record.
    ///
    /// Queries may miss records then: ``RecordCollection/rebuildIndexes(_:progress:)`` mends it.
    public var missingEntries: Int { indexes.reduce(0) { $0 + $1.missingEntries } }
    /// The number of entries whose record is missing or has other values. Queries recognise and skip them.
    public var staleEntries: Int { indexes.reduce(0) { $0 + $1.staleEntries } }
    /// True if indexes and records agree.
    public var isSound: Bool { unsoundIndexes.isEmpty }
    /// The names of the indexes that lack entries or have invalid ones.
    public var unsoundIndexes: [String] { indexes.filter { !$0.isSound }.map(\.name) }

    /// The findings of a verification in one index.
    public struct Index: Sendable, Hashable {
        public let name: String
        /// The number of entries.
        public internal(set) var entries = 0
        /// See ``CollectionVerification/missingEntries``.
        public internal(set) var missingEntries = 0
        /// See ``CollectionVerification/staleEntries``.
        public internal(set) var staleEntries = 0
        /// The number of entries that name no record at all. A query that meets one throws.
        public internal(set) var invalidEntries = 0
        /// True if every record has its entry and no entry is invalid.
        public var isSound: Bool { missingEntries == 0 && invalidEntries == 0 }

        init(name: String) { self.name = name }
    }
}

extension RecordCollection {
    /// Compares all records with all ready indexes, at one moment.
    ///
    /// - Complexity: O(records × indexes).
    public func verify() throws(StorageError) -> CollectionVerification {
        try core.base.reading { (moment) throws(StorageError) in try verify(at: moment) }
    }

    private func verify(at moment: Store.Snapshot) throws(StorageError) -> CollectionVerification {
        var result = CollectionVerification()
        let indexes = try core.base.schema(at: moment)?.indexes.filter(\.isReady) ?? []
        result.indexes = indexes.map { CollectionVerification.Index(name: $0.name) }
        let cursor = moment[core.records].entries.cursor()
        while let entry = try cursor.next() {
            result.records += 1
            do throws(StorageError) {
                let record = try entry.value(using: core.codec)
                let info = try entry.info()
                for (position, index) in indexes.enumerated() {
                    let indexed = RecordAddress.with(of: record) { index.layout.entry(of: $0, entry.key.bytes) }
                    guard !(try core.base.has(indexed, info, index, at: moment)) else { continue }
                    result.indexes[position].missingEntries += 1
                }
            } catch {
                guard RecordFailure.isOfRecord(error) else { throw error }
                guard result.failures.count < 100 else { continue }
                result.failures.append(RecordFailure(key: RecordKey(bytes: entry.key.bytes), error: error))
            }
        }
        for (position, index) in indexes.enumerated() {
            let cursor = moment[index.namespace].entries.cursor()
            while let entry = try cursor.next() {
                result.indexes[position].entries += 1
                do throws(StorageError) {
                    let value = try entry.value(as: [UInt8].self)
                    if try core.base.isStale(entry.key.bytes, value, index, at: moment) {
                        result.indexes[position].staleEntries += 1
                    }
                } catch {
                    guard RecordFailure.isOfRecord(error) else { throw error }
                    result.indexes[position].invalidEntries += 1
                }
            }
        }
        return result
    }

    /// Removes entries of records that were removed without them, in atomic steps of 256. Returns the number of entries
    /// removed.
    ///
    /// Purge policies, and purges and truncations of the records alone, leave such entries behind. They take space, and
    /// each costs the queries that meet it one read.
    @discardableResult
    public func removeStaleEntries() throws(StorageError) -> Int {
        var removed = 0
        // Begins again at another moment if a change of the schema drops an index meanwhile.
        try core.base.reading { (moment) throws(StorageError) in
            for index in try core.base.schema(at: moment)?.indexes ?? [] {
                try core.base.removeStaleEntries(of: index, at: moment, &removed)
            }
        }
        core.base.forgetChecks()
        return removed
    }
}

extension CollectionBase {
    /// True if an index has an entry, with the purgeability and the expiry of its record.
    func has(
        _ entry: IndexEntry, _ info: ValueInfo, _ index: OpenIndex, at moment: borrowing some ReadMoment & ~Copyable
    ) throws(StorageError) -> Bool {
        let reader = moment[index.namespace]
        guard let stored = try reader.payload(forKey: entry.key), stored.codec == .data, stored.bytes == entry.value,
            let own = try reader.info(forKey: entry.key)
        else { return false }
        return own.isPurgeable == info.isPurgeable && own.expiresAt == info.expiresAt
    }

    /// True if no record has an entry.
    func isStale(
        _ key: [UInt8], _ value: [UInt8], _ index: OpenIndex,
        at moment: borrowing some ReadMoment & ~Copyable
    ) throws(StorageError) -> Bool {
        let primary = try IndexEntryValue(value, key: key, invertsPrimary: index.layout.invertsPrimary).primary
        do throws(StorageError) {
            return try withRecord(primary, at: moment) { index.layout.entry(of: $0, primary).key != key } ?? true
        } catch {
            guard RecordFailure.isOfRecord(error) else { throw error }
            // The record may decode again with another version of the application.
            return false
        }
    }

    /// Removes the stale entries of an index, and counts them in `removed`.
    func removeStaleEntries(
        of index: OpenIndex, at moment: Store.Snapshot, _ removed: inout Int
    ) throws(StorageError) {
        var stale: [[UInt8]] = []
        let cursor = moment[index.namespace].entries.cursor()
        while let entry = try cursor.next() {
            guard try isStale(entry.key.bytes, try entry.value(as: [UInt8].self), index, at: moment) else { continue }
            stale.append(entry.key.bytes)
            guard stale.count == 256 else { continue }
            removed += try remove(stale, index)
            stale.removeAll()
        }
        removed += try remove(stale, index)
    }

    private func remove(_ stale: [[UInt8]], _ index: OpenIndex) throws(StorageError) -> Int {
        try records.transaction { (transaction) throws(StorageError) in
            guard try schema(at: transaction)?.indexes.contains(where: { $0.stored.id == index.stored.id }) == true
            else { return 0 }
            var removed = 0
            for key in stale {
                guard let value = try transaction.value(forKey: key, in: index.namespace, as: [UInt8].self),
                    try isStale(key, value, index, at: transaction)
                else { continue }
                try transaction.remove(key, in: index.namespace)
                removed += 1
            }
            return removed
        }
    }
}
