import ShaleBase

extension Namespace {
    /// The value of a typed key, for settings and caches that go on without an error: reading gives the key's default
    /// when the key is missing **and when it could not be read**, and a write that failed is not there. Such errors are
    /// not lost: they are in ``Store/health``. Where an error must not pass for a default, use ``value(for:)`` and
    /// ``set(_:for:_:durability:)``.
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
