public import Shale

/// Access to a stored property with its errors: the projection `$name` of ``Stored``.
///
/// It keeps referring to the user that was signed in when it was taken. Thread-safe.
public struct StoredAccess<Value: Sendable, Place: StoredPlace>: Sendable {
    /// The place of the value, with the user that was current when the access was taken.
    public let place: Place
    private let property: Result<Key<Value>, StorageError>

    init(_ place: Place, _ key: Result<Key<Value>, StorageError>) {
        self.place = place.pinned()
        property = key
    }

    /// The key of the property.
    ///
    /// - Throws: `.invalidArgument` if the property has no given key, and its name can't be found.
    public var key: Key<Value> { get throws(StorageError) { try property.get() } }

    /// Returns the value; if nothing is stored, the property's default. No error turns into the default.
    ///
    /// - Throws: The errors of `Store.Namespace.value(for:)`; `.noCurrentUser` if nobody was signed in.
    public func get() throws(StorageError) -> Value { try place.storedValue(for: key) }

    /// Stores a value; `nil` removes it.
    ///
    /// - Throws: The errors of `Store.Namespace.set(_:for:options:durability:)`; `.noCurrentUser` if nobody was signed
    ///   in.
    public func set(_ value: Value) throws(StorageError) { try place.store(value, for: key) }

    /// Removes the stored value. The property then reads as its default.
    public func remove() throws(StorageError) { try place.removeStored(key) }
}

/// Observation of properties in namespaces.
extension StoredAccess where Place: NamespacePlace {
    /// Returns the values of the property: the current one, then the newest one whenever it has changed. See
    /// `Store.Values`.
    ///
    /// They are those of the user that was current when the access was taken. ``ObservableValue`` follows the user.
    ///
    /// - Throws: The errors of `Store.Namespace.values(for:)`; `.noCurrentUser` if nobody was signed in.
    public func values() throws(StorageError) -> Store.Values<Value> { try place.namespace().values(for: key) }
}

// MARK: For properties

extension StoredAccess {
    func valueOrDefault(_ defaultValue: Value) -> Value {
        do throws(StorageError) {
            return try get()
        } catch {
            // The absence of a user is a state, not a failure.
            if error.code != .noCurrentUser { record(error, .read) }
            return defaultValue
        }
    }

    func setOrRecord(_ value: Value) {
        do throws(StorageError) { try set(value) } catch { record(error, .write) }
    }

    private func record(_ error: StorageError, _ access: Store.Health.Access) {
        let name = if case .success(let key) = property { key.name } else { "" }
        place.record(error, access, ofKey: name)
    }
}
