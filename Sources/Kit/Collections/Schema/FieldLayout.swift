import Shale
import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The place of a record in memory. Valid during the call that passes it.
///
/// Code that is generic over the records is compiled once for all of their types: each call requests types from the
/// runtime, and each copy of a record goes through tables of functions. Indexes, conditions and orders therefore take
/// an address, and read fields by the functions that the schema made when it knew the types.
@safe
struct RecordAddress {
    private let start: UnsafeRawPointer

    /// Takes the address of a record that outlives its uses.
    init(start: UnsafeRawPointer) { unsafe self.start = start }

    /// Passes the address of a record to `body`.
    @inline(__always)
    static func with<Record, R, Failure: Error>(
        of record: Record, _ body: (RecordAddress) throws(Failure) -> R
    ) throws(Failure) -> R {
        try unsafe withUnsafePointer(to: record) { (record) throws(Failure) in
            try body(unsafe RecordAddress(start: UnsafeRawPointer(record)))
        }
    }

    /// Passes the address of each record to `body`, in their order.
    @inline(__always)
    static func forEach<Record, Failure: Error>(
        of records: [Record], _ body: (RecordAddress) throws(Failure) -> Void
    ) throws(Failure) {
        try unsafe records.withUnsafeBufferPointer { (records) throws(Failure) in
            guard let start = records.baseAddress else { return }
            for index in 0..<records.count {
                try body(unsafe RecordAddress(start: UnsafeRawPointer(start + index)))
            }
        }
    }

    /// Passes the record to `body` without a copy. `Record` must be its type.
    @inline(__always)
    func with<Record, R, Failure: Error>(
        _ type: Record.Type, _ body: (Record) throws(Failure) -> R
    ) throws(Failure) -> R {
        try body(unsafe start.assumingMemoryBound(to: Record.self).pointee)
    }

    /// Returns a copy of the record. `Record` must be its type.
    @inline(__always)
    func record<Record>(as type: Record.Type) -> Record { unsafe start.assumingMemoryBound(to: Record.self).pointee }

    /// Returns a stored property. `Value` must be its type, and `offset` its place in the record.
    @inline(__always)
    fileprivate func property<Value>(_ type: Value.Type, at offset: Int) -> Value {
        unsafe (start + offset).assumingMemoryBound(to: Value.self).pointee
    }
}

/// A field of a schema without the type of the records.
struct FieldLayout: Sendable {
    let name: String
    let kind: FieldKind
    let constraint: FieldConstraint
    let isNullable: Bool
    /// The key path that stands for the field in orders.
    let path: any AnyKeyPath & Sendable
    /// True for a stored property of a struct.
    let isStored: Bool
    /// Returns the value of the field in a record.
    let element: @Sendable (RecordAddress) -> CompositeKey.Element
    /// Returns the value of the field in a compact document; `nil` if only the record type can read it.
    var documentElement: DocumentReader?

    /// Reads a value of a compact document as its Swift type does. Returns `nil` for a value that the type refuses.
    typealias DocumentReader = @Sendable (CompactValue) throws(StorageError) -> CompositeKey.Element?

    /// Returns a function that reads a stored property where it lies in a record: a key path takes several times as
    /// long. The usual types have functions of their own, which call nothing.
    static func reader<Value: FieldValue>(
        of type: Value.Type, at offset: Int
    ) -> @Sendable (RecordAddress) -> CompositeKey.Element {
        if type == Int.self { return { .int(Int64($0.property(Int.self, at: offset))) } }
        if type == Int?.self { return { $0.property(Int?.self, at: offset).map { .int(Int64($0)) } ?? .null } }
        if type == String.self { return { .string($0.property(String.self, at: offset)) } }
        if type == String?.self { return { $0.property(String?.self, at: offset).map { .string($0) } ?? .null } }
        if type == Double.self { return { .double($0.property(Double.self, at: offset)) } }
        if type == Bool.self { return { .bool($0.property(Bool.self, at: offset)) } }
        if type == Date.self { return { .date($0.property(Date.self, at: offset)) } }
        if type == UUID.self { return { .uuid($0.property(UUID.self, at: offset)) } }
        return { $0.property(Value.self, at: offset).fieldElement }
    }

    /// Returns a function that reads a stored property in a compact document; `nil` for types that encode themselves.
    static func documentReader<Value: FieldValue>(of type: Value.Type) -> DocumentReader? {
        if type == Int.self { return { (value) in value.intElement } }
        if type == Int?.self { return { (value) in value.isNull ? .null : value.intElement } }
        if type == String.self { return { (value) throws(StorageError) in try value.stringElement } }
        if type == String?.self {
            return { (value) throws(StorageError) in value.isNull ? .null : try value.stringElement }
        }
        if type == Double.self { return { (value) in value.doubleElement } }
        if type == Double?.self { return { (value) in value.isNull ? .null : value.doubleElement } }
        if type == Bool.self { return { (value) in value.boolElement } }
        if type == Date.self { return { (value) throws(StorageError) in try value.dateElement } }
        if type == Date?.self {
            return { (value) throws(StorageError) in value.isNull ? .null : try value.dateElement }
        }
        if type == UUID.self { return { (value) throws(StorageError) in try value.uuidElement } }
        return nil
    }
}
