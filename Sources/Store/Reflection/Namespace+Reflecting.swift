public import ShaleBase

extension Store.Namespace {
    /// Stores, as JSON, the properties that reflection finds in a value; `nil` removes the key. For values that are not
    /// `Codable` and have no other encoding.
    ///
    /// ```swift
    /// try orders.set(reflecting: legacyOrder, forKey: "42")
    /// let total = try orders.value(forKey: "42", as: OrderSummary.self)?.total
    /// ```
    /// Structs and classes become objects of their stored properties, including those of superclasses. Enums become
    /// their raw values or the names of their cases. Shale.docc, "Storing by reflection", has tables. Read the value
    /// back as a `Decodable` type or with ``NamespaceReader/object(forKey:)``. The names of properties become part of
    /// the stored format: renaming one changes it. Reflection is about ten times slower than `Codable`.
    ///
    /// - Throws: The errors of setting a value. `.codecFailure` with a ``ReflectionError`` as its `cause` for cycles,
    ///   nesting over 64, more than 2²⁰ parts and types that reflection can't show; then nothing has been written.
    public func set<T>(
        reflecting value: T?, forKey key: some StoreKey, options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) {
        guard let value else { return try remove(key, durability: durability) }
        try ReflectedValue.withJSON(value) { (payload) throws(StorageError) in
            try key.withKeyBytes { (key) throws(StorageError) in try put(payload, .json, key, options, durability) }
        }
    }
}

extension Store.Batch {
    /// Sets a value by reflection; `nil` removes the key.
    /// See ``Store/Namespace/set(reflecting:forKey:options:durability:)``.
    public mutating func set<T>(
        reflecting value: T?, forKey key: some StoreKey, in namespace: Store.Namespace, options: ValueOptions = []
    ) throws(StorageError) {
        guard let value else { return try remove(key, in: namespace) }
        try ReflectedValue.withJSON(value) { (payload) throws(StorageError) in
            try key.withKeyBytes { (key) throws(StorageError) in try put(payload, .json, key, namespace, options) }
        }
    }
}

extension Store.Transaction {
    /// Sets a value by reflection; `nil` removes the key.
    /// See ``Store/Namespace/set(reflecting:forKey:options:durability:)``.
    public func set<T>(
        reflecting value: T?, forKey key: some StoreKey, in namespace: Store.Namespace, options: ValueOptions = []
    ) throws(StorageError) {
        guard let value else { return try remove(key, in: namespace) }
        try ReflectedValue.withJSON(value) { (payload) throws(StorageError) in
            try put(payload, .json, key, namespace, options)
        }
    }
}

/// The reason why a value can't be stored by reflection: the cause of a ``StorageError`` with code `.codecFailure`.
///
/// `path` names the properties down to the failing one. Elements of collections appear as `[]`, so the path contains
/// none of the data.
public enum ReflectionError: Error, Sendable, Hashable {
    /// An object contains itself.
    case cycle(path: String)
    /// Values are nested more than 64 deep.
    case tooDeep(path: String)
    /// The value has more than 2²⁰ parts. A shared object counts once for each occurrence.
    case tooLarge
    /// Reflection does not show the content of this type: functions, metatypes, integers of more than 64 bits,
    /// pointers, and cases of an enum without a raw value that customizes its description.
    case unsupported(type: String, path: String)
    /// A class and its superclass have properties of the same name, or two keys of a dictionary have the same text.
    case duplicateName(path: String)
}

extension ReflectionError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cycle(let path): "an object contains itself path=\(path)"
        case .tooDeep(let path): "values are nested too deeply path=\(path)"
        case .tooLarge: "the value has too many parts"
        case .unsupported(let type, let path): "reflection can't represent a value type=\(type) path=\(path)"
        case .duplicateName(let path): "a name occurs twice path=\(path)"
        }
    }
}
