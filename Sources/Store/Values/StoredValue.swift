public import ShaleBase

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A value of any type, in the form in which it was stored.
public enum StoredValue: Sendable, Hashable {
    case data(Data)
    case string(String)
    case bool(Bool)
    case int(Int64)
    /// A number above `Int64.max`.
    case unsigned(UInt64)
    case double(Double)
    case float(Float)
    case date(Date)
    case uuid(UUID)
    case url(URL)
    case json(StructuredValue)
    case propertyList(StructuredValue)
    /// Archived objects as data; their classes are not needed. Objects are dictionaries of their fields, with the name
    /// of the class under `$class`.
    case archive(StructuredValue)
    /// A value with the number of its version, written with a ``VersionedCodec``.
    indirect case versioned(Int, StoredValue)
    case compact(StructuredValue)
    /// A value of the application's own format, as its codec presents it.
    case custom(ValueCodec, StructuredValue)

    /// The codec of the stored value.
    public var codec: ValueCodec {
        switch self {
        case .data: .data
        case .string: .string
        case .bool: .bool
        case .int: .int
        case .unsigned: .unsigned
        case .double: .double
        case .float: .float
        case .date: .date
        case .uuid: .uuid
        case .url: .url
        case .json: .json
        case .propertyList: .propertyList
        case .archive: .archive
        case .versioned: .versioned
        case .compact: .compact
        case .custom(let codec, _): codec
        }
    }

    init(_ envelope: Envelope, _ codecs: CodecTable) throws(StorageError) {
        let payload = envelope.payload.span
        let codec = envelope.codec
        switch codec {
        case .data: self = .data(try Data(payload: payload, codec: codec))
        case .string: self = .string(try String(payload: payload, codec: codec))
        case .bool: self = .bool(try Bool(payload: payload, codec: codec))
        case .int: self = .int(try Int64(payload: payload, codec: codec))
        case .unsigned: self = .unsigned(try UInt64(payload: payload, codec: codec))
        case .double: self = .double(try Double(payload: payload, codec: codec))
        case .float: self = .float(try Float(payload: payload, codec: codec))
        case .date: self = .date(try Date(payload: payload, codec: codec))
        case .uuid: self = .uuid(try UUID(payload: payload, codec: codec))
        case .url: self = .url(try URL(payload: payload, codec: codec))
        case .json: self = .json(try CodableCoder.decode(StructuredValue.self, payload, codec))
        case .propertyList: self = .propertyList(try BinaryPropertyList.storedValue(payload))
        case .archive: self = .archive(try KeyedArchive(payload).tree)
        case .compact: self = .compact(try CompactValue.checkedTree(envelope.payload))
        case .versioned:
            let parsed = try VersionedPayload(envelope.payload, codec)
            self = .versioned(
                parsed.version, try StoredValue(Envelope(codec: parsed.codec, payload: parsed.document), codecs))
        default: self = .custom(codec, try codecs.tree(payload, codec))
        }
    }
}

extension Store.Namespace {
    /// Stores a tree of numbers, strings, dates, data, arrays and dictionaries as a binary property list; `nil` removes
    /// the key.
    ///
    /// ```swift
    /// try settings.setObject(["volume": 0.5, "recent": ["a", "b"], "seen": .date(now)], forKey: "ui")
    /// ```
    /// ``NamespaceReader/object(forKey:)`` returns the same tree, number for number: 1 and 1.0 stay distinct. A
    /// matching `Decodable` type can read it too. Equal trees give equal bytes.
    ///
    /// - Throws: With nothing written, `.codecFailure` for `.null`, which property lists don't have, and for nesting
    ///   over 255. Also the errors of setting a value.
    public func setObject(
        _ tree: StructuredValue?, forKey key: some StoreKey, options: ValueOptions = [],
        durability: Durability? = nil
    ) throws(StorageError) {
        guard let tree else { return try remove(key, durability: durability) }
        let payload = try tree.propertyListPayload
        try key.withKeyBytes { (key) throws(StorageError) in
            try put(unsafe payload.span.bytes, .propertyList, key, options, durability)
        }
    }
}

extension Store.Batch {
    /// Sets a tree; `nil` removes the key. See ``Store/Namespace/setObject(_:forKey:options:durability:)``.
    public mutating func setObject(
        _ tree: StructuredValue?, forKey key: some StoreKey, in namespace: Store.Namespace, options: ValueOptions = []
    ) throws(StorageError) {
        guard let tree else { return try remove(key, in: namespace) }
        let payload = try tree.propertyListPayload
        try key.withKeyBytes { (key) throws(StorageError) in
            try put(unsafe payload.span.bytes, .propertyList, key, namespace, options)
        }
    }
}

extension Store.Transaction {
    /// Sets a tree; `nil` removes the key. See ``Store/Namespace/setObject(_:forKey:options:durability:)``.
    public func setObject(
        _ tree: StructuredValue?, forKey key: some StoreKey, in namespace: Store.Namespace, options: ValueOptions = []
    ) throws(StorageError) {
        guard let tree else { return try remove(key, in: namespace) }
        let payload = try tree.propertyListPayload
        try unsafe put(payload.span.bytes, .propertyList, key, namespace, options)
    }
}

extension StructuredValue {
    /// The tree as stored: in an array of one element, because not every value can be the root of a property list.
    var propertyListPayload: [UInt8] {
        get throws(StorageError) {
            do throws(ParseFailure) {
                return try BinaryPropertyListWriter.bytes(.array([.value(self)]))
            } catch {
                throw StorageError(.codecFailure, "a tree can't be stored as a property list: \(error.reason)")
            }
        }
    }
}
