#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Getters by type. They return the default only if the key is missing: a stored value of another type throws
/// `.typeMismatch`, damage throws `.corruption`. Errors and cost are those of ``value(forKey:as:)``.
extension NamespaceReader {
    /// Returns the value of `key`; `defaultValue` if the key is missing.
    @inlinable
    public func value<T: StorableValue>(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> T
    ) throws(StorageError) -> T {
        try value(forKey: key, as: T.self) ?? defaultValue()
    }

    /// Returns the value of `key`; `defaultValue` if the key is missing.
    @inlinable
    public func value<T: Decodable>(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> T
    ) throws(StorageError) -> T {
        try value(forKey: key, as: T.self) ?? defaultValue()
    }

    /// Returns the integer of `key`, which must fit into `Int`; `nil` if the key is missing.
    @inlinable
    public func int(forKey key: some StoreKey) throws(StorageError) -> Int? { try value(forKey: key, as: Int.self) }

    /// Returns the integer of `key`, which must fit into `Int`; `defaultValue` if the key is missing.
    @inlinable
    public func int(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> Int
    ) throws(StorageError) -> Int {
        try value(forKey: key, as: Int.self) ?? defaultValue()
    }

    /// Returns the integer of `key`, which must fit into `Int64`; `nil` if the key is missing.
    @inlinable
    public func int64(forKey key: some StoreKey) throws(StorageError) -> Int64? {
        try value(forKey: key, as: Int64.self)
    }

    /// Returns the integer of `key`, which must fit into `Int64`; `defaultValue` if the key is missing.
    @inlinable
    public func int64(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> Int64
    ) throws(StorageError) -> Int64 {
        try value(forKey: key, as: Int64.self) ?? defaultValue()
    }

    /// Returns the `Bool` of `key`; `nil` if the key is missing.
    @inlinable
    public func bool(forKey key: some StoreKey) throws(StorageError) -> Bool? { try value(forKey: key, as: Bool.self) }

    /// Returns the `Bool` of `key`; `defaultValue` if the key is missing.
    @inlinable
    public func bool(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> Bool
    ) throws(StorageError) -> Bool {
        try value(forKey: key, as: Bool.self) ?? defaultValue()
    }

    /// Returns the `Double` or `Float` of `key`; `nil` if the key is missing.
    @inlinable
    public func double(forKey key: some StoreKey) throws(StorageError) -> Double? {
        try value(forKey: key, as: Double.self)
    }

    /// Returns the `Double` or `Float` of `key`; `defaultValue` if the key is missing.
    @inlinable
    public func double(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> Double
    ) throws(StorageError) -> Double {
        try value(forKey: key, as: Double.self) ?? defaultValue()
    }

    /// Returns the `Float` of `key`; `nil` if the key is missing.
    @inlinable
    public func float(forKey key: some StoreKey) throws(StorageError) -> Float? {
        try value(forKey: key, as: Float.self)
    }

    /// Returns the `Float` of `key`; `defaultValue` if the key is missing.
    @inlinable
    public func float(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> Float
    ) throws(StorageError) -> Float {
        try value(forKey: key, as: Float.self) ?? defaultValue()
    }

    /// Returns the `String` of `key`; `nil` if the key is missing.
    @inlinable
    public func string(forKey key: some StoreKey) throws(StorageError) -> String? {
        try value(forKey: key, as: String.self)
    }

    /// Returns the `String` of `key`; `defaultValue` if the key is missing.
    @inlinable
    public func string(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> String
    ) throws(StorageError) -> String {
        try value(forKey: key, as: String.self) ?? defaultValue()
    }

    /// Returns the `Date` of `key`; `nil` if the key is missing.
    @inlinable
    public func date(forKey key: some StoreKey) throws(StorageError) -> Date? { try value(forKey: key, as: Date.self) }

    /// Returns the `Date` of `key`; `defaultValue` if the key is missing.
    @inlinable
    public func date(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> Date
    ) throws(StorageError) -> Date {
        try value(forKey: key, as: Date.self) ?? defaultValue()
    }

    /// Returns the `UUID` of `key`; `nil` if the key is missing.
    @inlinable
    public func uuid(forKey key: some StoreKey) throws(StorageError) -> UUID? { try value(forKey: key, as: UUID.self) }

    /// Returns the `UUID` of `key`; `defaultValue` if the key is missing.
    @inlinable
    public func uuid(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> UUID
    ) throws(StorageError) -> UUID {
        try value(forKey: key, as: UUID.self) ?? defaultValue()
    }

    /// Returns the `URL` of `key`; `nil` if the key is missing.
    @inlinable
    public func url(forKey key: some StoreKey) throws(StorageError) -> URL? { try value(forKey: key, as: URL.self) }

    /// Returns the `URL` of `key`; `defaultValue` if the key is missing.
    @inlinable
    public func url(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> URL
    ) throws(StorageError) -> URL {
        try value(forKey: key, as: URL.self) ?? defaultValue()
    }

    /// Returns the bytes of `key` as `Data`; `nil` if the key is missing.
    @inlinable
    public func data(forKey key: some StoreKey) throws(StorageError) -> Data? { try value(forKey: key, as: Data.self) }

    /// Returns the bytes of `key` as `Data`; `defaultValue` if the key is missing.
    @inlinable
    public func data(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> Data
    ) throws(StorageError) -> Data {
        try value(forKey: key, as: Data.self) ?? defaultValue()
    }

    /// Returns the bytes of `key`; `nil` if the key is missing.
    @inlinable
    public func bytes(forKey key: some StoreKey) throws(StorageError) -> [UInt8]? {
        try value(forKey: key, as: [UInt8].self)
    }

    /// Returns the bytes of `key`; `defaultValue` if the key is missing.
    @inlinable
    public func bytes(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> [UInt8]
    ) throws(StorageError) -> [UInt8] {
        try value(forKey: key, as: [UInt8].self) ?? defaultValue()
    }
}
