public import Shale
import ShaleBase

/// The progress of a change in steps.
public struct RecordChangeProgress: Sendable, Hashable {
    /// The number of records changed so far.
    public let changed: Int
    /// The number of records that were to be changed at the start.
    public let total: Int
}

/// Changes of all records that a query finds.
///
/// A query made from an example without values throws `.invalidArgument`: it would change every record.
extension RecordQuery {
    /// Changes the records in one atomic step. Returns their number.
    ///
    /// `change` may run again after a conflict. Entries keep expiry, purgeability and encryption.
    ///
    /// - Throws: `.invalidArgument` if the changes take more than 64 MiB: use
    ///   ``modifyInSteps(durability:progress:_:)``. `.constraintViolated`, and the errors of `change`; nothing is
    ///   written then. `.conflict` if other writers changed what the call read 64 times in a row.
    @discardableResult
    public func modify(
        durability: Durability? = nil, _ change: (inout Record) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        try atomically(durability) { (key, transaction) throws(StorageError) in
            try core.modify(key, in: transaction, change)
        }
    }

    /// Sets the fields of the records to those values of `changes` that are not nil. Returns the number of records.
    ///
    /// Fields that are nil in `changes` stay as they are; to set a field to nil, use ``modify(durability:_:)``. The
    /// primary key stays too.
    ///
    /// - Throws: `.invalidArgument` for a value in a property that can't be set. Otherwise as
    ///   ``modify(durability:_:)``.
    @discardableResult
    public func modify(to changes: Record, durability: Durability? = nil) throws(StorageError) -> Int {
        var copies: [@Sendable (Record, inout Record) -> Void] = []
        for (position, field) in core.schema.fields.enumerated()
        where position != core.layout.key && field.element(changes) != .null {
            guard let copy = field.copy else { throw .invalid("the property can't be set field=\(field.name)") }
            copies.append(copy)
        }
        return try modify(durability: durability) { (record) in
            for copy in copies { copy(changes, &record) }
        }
    }

    /// Deletes the records in one atomic step. Returns their number. Throws as ``modify(durability:_:)``.
    @discardableResult
    public func delete(durability: Durability? = nil) throws(StorageError) -> Int {
        try atomically(durability) { (key, transaction) throws(StorageError) in
            try core.delete(key, in: transaction)
        }
    }

    /// Changes any number of records, in atomic steps of at most 256. Returns their number.
    ///
    /// A step ends earlier once its changes take 16 MiB.
    ///
    /// The records are those that satisfy the condition at the start and still when their step runs. If the call throws
    /// or the process is killed, finished steps stay.
    ///
    /// - Throws: The errors of ``modify(durability:_:)`` and of `progress`, which is called after each step.
    @discardableResult
    public func modifyInSteps(
        durability: Durability? = nil, progress: (RecordChangeProgress) throws(StorageError) -> Void = { _ in },
        _ change: (inout Record) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        try inSteps(durability, progress) { (key, transaction) throws(StorageError) in
            try core.modify(key, in: transaction, change)
        }
    }

    /// Deletes any number of records, in atomic steps of at most 256. See ``modifyInSteps(durability:progress:_:)``.
    @discardableResult
    public func deleteInSteps(
        durability: Durability? = nil, progress: (RecordChangeProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> Int {
        try inSteps(durability, progress) { (key, transaction) throws(StorageError) in
            try core.delete(key, in: transaction)
        }
    }
}

extension RecordQuery {
    private static var attempts: Int { 64 }
    private static var stepMax: Int { 256 }

    private func matches(_ record: Record) throws(StorageError) -> Bool {
        try RecordAddress.with(of: record) { (record) throws(StorageError) in
            try filter.matches(record, core.layout.fields)
        }
    }

    private func requireCondition() throws(StorageError) {
        if isEmptyExample { throw .invalid("the example has no values, so it would change every record") }
    }

    private func atomically(
        _ durability: Durability?,
        _ change: (RecordKey, borrowing Store.Transaction) throws(StorageError) -> Bool
    ) throws(StorageError) -> Int {
        try requireCondition()
        return try core.records.transaction(attempts: RecordQuery.attempts, durability: durability) {
            (transaction) throws(StorageError) in
            // The keys are read first, so that changed records are not found again.
            let keys = try keys(at: transaction)
            var count = 0
            for key in keys where try change(key, transaction) { count += 1 }
            return count
        }
    }

    private func inSteps(
        _ durability: Durability?, _ progress: (RecordChangeProgress) throws(StorageError) -> Void,
        _ change: (RecordKey, borrowing Store.Transaction) throws(StorageError) -> Bool
    ) throws(StorageError) -> Int {
        try requireCondition()
        let keys = try self.keys()
        var changed = 0
        var start = 0
        while start < keys.count {
            let step = keys[start..<min(keys.count, start + RecordQuery.stepMax)]
            let done = try core.records.transaction(durability: durability) {
                (transaction) throws(StorageError) -> (keys: Int, changed: Int) in
                var done = (keys: 0, changed: 0)
                for key in step where transaction.byteCount < StepLimits.bytes {
                    done.keys += 1
                    guard let record = try core.record(key.bytes, at: transaction), try matches(record) else {
                        continue
                    }
                    if try change(key, transaction) { done.changed += 1 }
                }
                return done
            }
            start += done.keys
            changed += done.changed
            try progress(RecordChangeProgress(changed: changed, total: keys.count))
        }
        return changed
    }
}

/// The limits of the steps of long changes.
enum StepLimits {
    /// A step ends once its writes take this many bytes. One record and its entries take at most 33 MiB, so no step
    /// exceeds the 64 MiB of a batch.
    static let bytes = 16 << 20
}
