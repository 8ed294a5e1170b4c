/// A store of typed values, used by one thread. Every operation is on its own, and what was set survives the death of the
/// process.
protocol TypedPeer: PeerStore {
    func set(_ value: TypedValue, forKey key: String) throws

    /// The value of `key`, asked for as `kind`; `nil` when the key is missing.
    func value(forKey key: String, as kind: TypedValue.Kind) throws -> TypedValue?

    /// Whether there is something to open: not where a process reads what it wants when it wants it.
    var hasOpening: Bool { get }

    /// After how long sets end, where they take so long that a store of the size that is wanted is not to be had.
    var secondsMax: Double { get }
}

extension TypedPeer {
    var hasOpening: Bool { true }
    var secondsMax: Double { .infinity }
}
