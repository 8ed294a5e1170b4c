#if Encryption
    import ShalePlatform

    /// The key of a property: given, or the property's name, which is looked for once.
    final class PropertyKey: Sendable {
        private let known: Guarded<String?>

        init(_ key: String?) { known = Guarded(key) }

        /// Swift tells a property wrapper neither its name nor its place. But the object that has it shows its stored properties
        /// by name, and this one is known by its identity. Throws `.invalidArgument` where nothing is shown.
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
                    // Storage is named as the property, behind an underscore.
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
