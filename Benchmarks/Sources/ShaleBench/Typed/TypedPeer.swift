/// A store of typed values, used by one thread. Every operation is on its own, and what was set survives the death of the
/// process.
protocol TypedPeer: PeerStore {
    func set(_ value: TypedValue, forKey key: String) throws

    /// The value of `key`, asked for as `kind`; `nil` when the key is missing.
    func value(forKey key: String, as kind: TypedValue.Kind) throws -> TypedValue?

    /// As ``set(_:forKey:)``, but safe only when ``flush()`` has returned: for preparing a store.
    func setLazily(_ value: TypedValue, forKey key: String) throws

    /// Operations that take so long that a measurement ends after some seconds have a limit.
    var secondsMax: Double { get }
}

extension TypedPeer {
    func setLazily(_ value: TypedValue, forKey key: String) throws { try set(value, forKey: key) }
    var secondsMax: Double { .infinity }
}
