#if Encryption
    import ShalePlatform

    /// The key of a property: given, or the property's name, which is searched for once.
    final class PropertyKey: Sendable {
        private let known: Guarded<String?>

        init(_ key: String?) { known = Guarded(key) }

        /// Returns the key, or finds the property's name. Swift does not tell a property wrapper its name. A mirror of
        /// its object lists the stored properties by name, and this one is recognized by identity. Throws
        /// `.invalidArgument` if the mirror does not list it.
        func name(in owner: AnyObject) -> Result<String, StorageError> {
            if let name = known.withLock({ $0 }) { return .success(name) }
            guard let name = search(owner) else {
                return .failure(
                    StorageError(.invalidArgument, "the name of a stored property can't be found: give it a key"))
            }
            known.withLock { $0 = name }
            return .success(name)
        }

        private func search(_ owner: AnyObject) -> String? {
            var mirror: Mirror? = Mirror(reflecting: owner)
            while let current = mirror {
                for (label, value) in current.children {
                    guard let property = value as? any KeyedProperty, property.propertyKey === self else { continue }
                    // The storage has the property's name with an underscore before it.
                    return label.map { String($0.dropFirst()) }
                }
                mirror = current.superclassMirror
            }
            return nil
        }
    }

    protocol KeyedProperty {
        var propertyKey: PropertyKey { get }
    }
#endif
