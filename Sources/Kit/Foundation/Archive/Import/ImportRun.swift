import Foundation
package import ShaleBase

/// One import into a namespace.
package struct ImportRun {
    private let namespace: Store.Namespace
    private let replacesOthers: Bool
    package private(set) var report = ImportReport()

    package init(_ namespace: Store.Namespace, replacesOthers: Bool) {
        self.namespace = namespace
        self.replacesOthers = replacesOthers
    }

    /// Imports a value of another store: scalars as such, trees as property lists.
    package mutating func take(_ value: StructuredValue, _ key: EntryKey) throws(StorageError) {
        switch value {
        case .null: skip(key.description, "it is nil")
        case .bool(let value):
            try take(.bool(value), key) { (n) throws(StorageError) in try n.set(value, forKey: key) }
        case .int(let value):
            try take(.int(value), key) { (n) throws(StorageError) in try n.set(value, forKey: key) }
        case .unsigned(let value):
            try take(.unsigned(value), key) { (n) throws(StorageError) in try n.set(value, forKey: key) }
        case .double(let value):
            try take(.double(value), key) { (n) throws(StorageError) in try n.set(value, forKey: key) }
        case .string(let value):
            try take(.string(value), key) { (n) throws(StorageError) in try n.set(value, forKey: key) }
        case .date(let value):
            try take(.date(value), key) { (n) throws(StorageError) in try n.set(value, forKey: key) }
        case .data(let value):
            try take(.data(value), key) { (n) throws(StorageError) in try n.set(value, forKey: key) }
        case .array, .dictionary:
            try take(.propertyList(value), key) { (n) throws(StorageError) in
                try n.setObject(value, forKey: key)
            }
        }
    }

    /// Imports a whole file.
    mutating func take(_ file: ImportedFile, _ key: EntryKey) throws(StorageError) {
        switch file {
        case .propertyList(let tree): try take(tree, key)
        case .json(let tree):
            try take(.json(tree), key) { (n) throws(StorageError) in
                try n.set(tree, forKey: key, as: .json)
            }
        case .archive(let bytes):
            try take(.archive(try KeyedArchive(bytes.bytes).tree), key) { (n) throws(StorageError) in
                try n.setArchive(bytes, forKey: key)
            }
        }
    }

    /// Records that something was skipped, by its key in the report or another name.
    package mutating func skip(_ key: String, _ reason: String) { note(key, .skipped(reason: reason)) }

    /// Records that something can't be imported.
    package mutating func fail(_ key: String, _ error: StorageError) { note(key, .failed(error)) }

    /// Writes a value unless it is already stored, so that importing twice writes once. An error of this key becomes
    /// its outcome. An error that would affect every further key ends the import.
    private mutating func take(
        _ value: StoredValue, _ key: EntryKey, _ write: (Store.Namespace) throws(StorageError) -> Void
    ) throws(StorageError) {
        do throws(StorageError) {
            if let present = try namespace.object(forKey: key) {
                guard !present.isSame(as: value) else { return note(key.description, .unchanged) }
                guard replacesOthers else { return skip(key.description, "the key already has another value") }
            }
            try write(namespace)
            note(key.description, .imported)
        } catch {
            guard ImportRun.keyErrors.contains(error.code) else { throw error }
            fail(key.description, error)
        }
    }

    private static let keyErrors: Set<StorageError.Code> = [
        .invalidArgument, .codecFailure, .corruption, .newerFormat, .typeMismatch,
    ]

    private mutating func note(_ key: String, _ outcome: ImportReport.Outcome) {
        report.entries.append(ImportReport.Entry(key: key, outcome: outcome))
    }
}

extension StoredValue {
    /// Returns true if the values are equal. NaN counts as equal to NaN.
    fileprivate func isSame(as other: StoredValue) -> Bool {
        switch (self, other) {
        case (.double(let a), .double(let b)): StructuredValue.double(a).isSame(as: .double(b))
        case (.propertyList(let a), .propertyList(let b)), (.archive(let a), .archive(let b)),
            (.compact(let a), .compact(let b)):
            a.isSame(as: b)
        default: self == other
        }
    }
}

extension StructuredValue {
    fileprivate func isSame(as other: StructuredValue) -> Bool {
        switch (self, other) {
        case (.double(let a), .double(let b)): a == b || (a.isNaN && b.isNaN)
        case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
        case (.dictionary(let a), .dictionary(let b)):
            a.count == b.count && a.allSatisfy { (name, value) in b[name].map { value.isSame(as: $0) } ?? false }
        default: self == other
        }
    }
}

extension Store.Namespace {
    /// Stores an archive that has been checked.
    fileprivate func setArchive(_ bytes: Data, forKey key: EntryKey) throws(StorageError) {
        try key.withKeyBytes { (key) throws(StorageError) in
            try put(bytes.bytes, .archive, key, [], nil)
        }
    }
}
