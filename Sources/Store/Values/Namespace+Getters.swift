#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Getters by type. The default is used only when the key is missing: a stored value of another type throws
/// `.typeMismatch`, damage throws `.corruption`. Errors and cost are those of ``value(forKey:as:)``.
extension Namespace {
    /// The value of `key`, or `defaultValue` when the key is missing.
    @inlinable
    public func value<T: StorableValue>(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> T
    ) throws(StorageError) -> T {
        try value(forKey: key, as: T.self) ?? defaultValue()
    }

    /// The value of `key`, or `defaultValue` when the key is missing.
    @inlinable
    public func value<T: Decodable>(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> T
    ) throws(StorageError) -> T {
        try value(forKey: key, as: T.self) ?? defaultValue()
    }

    /// The value of `key`, which is an integer that fits into `Int`; `nil` when the key is missing.
    @inlinable
    public func int(forKey key: some StoreKey) throws(StorageError) -> Int? { try value(forKey: key, as: Int.self) }

    /// The value of `key`, which is an integer that fits into `Int`; `defaultValue` when the key is missing.
    @inlinable
    public func int(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> Int
    ) throws(StorageError) -> Int {
        try value(forKey: key, as: Int.self) ?? defaultValue()
    }

    /// The value of `key`, which is an integer that fits into `Int64`; `nil` when the key is missing.
    @inlinable
    public func int64(forKey key: some StoreKey) throws(StorageError) -> Int64? {
        try value(forKey: key, as: Int64.self)
    }

    /// The value of `key`, which is an integer that fits into `Int64`; `defaultValue` when the key is missing.
    @inlinable
    public func int64(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> Int64
    ) throws(StorageError) -> Int64 {
        try value(forKey: key, as: Int64.self) ?? defaultValue()
    }

    /// The value of `key`, which is a `Bool`; `nil` when the key is missing.
    @inlinable
    public func bool(forKey key: some StoreKey) throws(StorageError) -> Bool? { try value(forKey: key, as: Bool.self) }

    /// The value of `key`, which is a `Bool`; `defaultValue` when the key is missing.
    @inlinable
    public func bool(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> Bool
    ) throws(StorageError) -> Bool {
        try value(forKey: key, as: Bool.self) ?? defaultValue()
    }

    /// The value of `key`, which is a `Double` or a `Float`; `nil` when the key is missing.
    @inlinable
    public func double(forKey key: some StoreKey) throws(StorageError) -> Double? {
        try value(forKey: key, as: Double.self)
    }

    /// The value of `key`, which is a `Double` or a `Float`; `defaultValue` when the key is missing.
    @inlinable
    public func double(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> Double
    ) throws(StorageError) -> Double {
        try value(forKey: key, as: Double.self) ?? defaultValue()
    }

    /// The value of `key`, which is a `Float`; `nil` when the key is missing.
    @inlinable
    public func float(forKey key: some StoreKey) throws(StorageError) -> Float? {
        try value(forKey: key, as: Float.self)
    }

    /// The value of `key`, which is a `Float`; `defaultValue` when the key is missing.
    @inlinable
    public func float(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> Float
    ) throws(StorageError) -> Float {
        try value(forKey: key, as: Float.self) ?? defaultValue()
    }

    /// The value of `key`, which is a `String`; `nil` when the key is missing.
    @inlinable
    public func string(forKey key: some StoreKey) throws(StorageError) -> String? {
        try value(forKey: key, as: String.self)
    }

    /// The value of `key`, which is a `String`; `defaultValue` when the key is missing.
    @inlinable
    public func string(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> String
    ) throws(StorageError) -> String {
        try value(forKey: key, as: String.self) ?? defaultValue()
    }

    /// The value of `key`, which is a `Date`; `nil` when the key is missing.
    @inlinable
    public func date(forKey key: some StoreKey) throws(StorageError) -> Date? { try value(forKey: key, as: Date.self) }

    /// The value of `key`, which is a `Date`; `defaultValue` when the key is missing.
    @inlinable
    public func date(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> Date
    ) throws(StorageError) -> Date {
        try value(forKey: key, as: Date.self) ?? defaultValue()
    }

    /// The value of `key`, which is a `UUID`; `nil` when the key is missing.
    @inlinable
    public func uuid(forKey key: some StoreKey) throws(StorageError) -> UUID? { try value(forKey: key, as: UUID.self) }

    /// The value of `key`, which is a `UUID`; `defaultValue` when the key is missing.
    @inlinable
    public func uuid(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> UUID
    ) throws(StorageError) -> UUID {
        try value(forKey: key, as: UUID.self) ?? defaultValue()
    }

    /// The value of `key`, which is a `URL`; `nil` when the key is missing.
    @inlinable
    public func url(forKey key: some StoreKey) throws(StorageError) -> URL? { try value(forKey: key, as: URL.self) }

    /// The value of `key`, which is a `URL`; `defaultValue` when the key is missing.
    @inlinable
    public func url(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> URL
    ) throws(StorageError) -> URL {
        try value(forKey: key, as: URL.self) ?? defaultValue()
    }

    /// The value of `key`, which is bytes; `nil` when the key is missing.
    @inlinable
    public func data(forKey key: some StoreKey) throws(StorageError) -> Data? { try value(forKey: key, as: Data.self) }

    /// The value of `key`, which is bytes; `defaultValue` when the key is missing.
    @inlinable
    public func data(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> Data
    ) throws(StorageError) -> Data {
        try value(forKey: key, as: Data.self) ?? defaultValue()
    }

    /// The value of `key`, which is bytes; `nil` when the key is missing.
    @inlinable
    public func bytes(forKey key: some StoreKey) throws(StorageError) -> [UInt8]? {
        try value(forKey: key, as: [UInt8].self)
    }

    /// The value of `key`, which is bytes; `defaultValue` when the key is missing.
    @inlinable
    public func bytes(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> [UInt8]
    ) throws(StorageError) -> [UInt8] {
        try value(forKey: key, as: [UInt8].self) ?? defaultValue()
    }
}
