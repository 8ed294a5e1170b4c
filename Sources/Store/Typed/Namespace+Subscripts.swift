import ShaleBase

extension Namespace {
    /// The value of a typed key, without errors, for settings and caches.
    ///
    /// A read returns the key's default if the key is missing **and also if it can't be read**. A write that fails
    /// stores nothing. ``Store/health`` records these errors. Where an error must not pass for a default, use
    /// ``value(for:)`` and ``set(_:for:_:durability:)``.
    ///
    /// ```swift
    /// settings[.quality] = 0.5
    /// settings[.launches] += 1    // not atomic: see Store.transaction for that
    /// ```
    public subscript<Value>(key: Key<Value>) -> Value {
        get {
            do throws(StorageError) {
                return try value(for: key)
            } catch {
                state.core.health.record(error, .read, in: self)
                return key.defaultValue
            }
        }
        nonmutating set {
            do throws(StorageError) {
                try set(newValue, for: key)
            } catch {
                state.core.health.record(error, .write, in: self)
            }
        }
    }
}
