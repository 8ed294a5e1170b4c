/// A store of typed values, used by one thread. Every operation is separate, and a set value survives the death of the
/// process.
protocol TypedPeer: PeerStore {
    func set(_ value: TypedValue, forKey key: String) throws

    /// Returns the value of `key` as `kind`; `nil` if the key is missing.
    func value(forKey key: String, as kind: TypedValue.Kind) throws -> TypedValue?

    /// True if the peer has an open step; false if a process reads values only on demand.
    var hasOpening: Bool { get }

    /// The maximal duration of the sets, for peers too slow to fill a store of the requested size.
    var secondsMax: Double { get }
}

extension TypedPeer {
    var hasOpening: Bool { true }
    var secondsMax: Double { .infinity }
}
