public import Shale

/// A place for the values of properties. See ``Stored``.
///
/// | place | values |
/// |---|---|
/// | `Store.Namespace` | in a namespace of a store |
/// | ``Shale/Store/CurrentUserNamespace`` | in a namespace of the current user |
/// | `Compartment` (trait `Encryption`) | in a data box, which may keep them in a vault |
///
/// Only the types of this library conform.
public protocol StoredPlace: Sendable {
    /// Returns the place with the user of this moment, which it keeps. For the library's own use.
    func pinned() -> Self

    /// Returns the value of a key; its default if the key is missing.
    func storedValue<Value>(for key: Key<Value>) throws(StorageError) -> Value

    /// Stores the value of a key; `nil` removes the key.
    func store<Value>(_ value: Value, for key: Key<Value>) throws(StorageError)

    /// Removes a key, whether or not it exists.
    func removeStored<Value>(_ key: Key<Value>) throws(StorageError)

    /// Records an error that a property could not throw. `key` is empty if the property's name is not known. For the
    /// library's own use.
    func record(_ error: StorageError, _ access: Store.Health.Access, ofKey key: String)
}

extension StoredPlace {
    public func pinned() -> Self { self }
}

/// A place in a store, whose changes can be observed: a `Store.Namespace`, or ``Shale/Store/CurrentUserNamespace``.
///
/// Only the types of this library conform.
public protocol NamespacePlace: StoredPlace, Hashable {
    /// Returns the namespace of this moment.
    ///
    /// - Throws: `.noCurrentUser` for a namespace of the current user if nobody is signed in.
    func namespace() throws(StorageError) -> Store.Namespace

    /// The changes of the current user, for a place that depends on them; otherwise `nil`. For the library's own use.
    var userEvents: AsyncStream<Store.UserEvent>? { get }
}

extension NamespacePlace {
    public func storedValue<Value>(for key: Key<Value>) throws(StorageError) -> Value {
        try namespace().value(for: key)
    }

    public func store<Value>(_ value: Value, for key: Key<Value>) throws(StorageError) {
        try namespace().set(value, for: key)
    }

    public func removeStored<Value>(_ key: Key<Value>) throws(StorageError) { try namespace().remove(key) }
}

extension Store.Namespace: NamespacePlace {
    public func namespace() throws(StorageError) -> Store.Namespace { self }

    public var userEvents: AsyncStream<Store.UserEvent>? { nil }

    public func record(_ error: StorageError, _ access: Store.Health.Access, ofKey key: String) {
        record(error, access)
    }
}
