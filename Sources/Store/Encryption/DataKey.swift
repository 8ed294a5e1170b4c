import Synchronization

/// A data key of a namespace in use. Thread-safe.
final class DataKey: Sendable {
    let id: UInt32
    let lane: KeyLane
    /// `nil` when the store was opened without the cipher.
    let sealer: (any ValueSealer)?
    /// Writes that may have sealed with it and are not in the store yet.
    private let uses = Atomic(0)

    init(id: UInt32, lane: KeyLane, sealer: (any ValueSealer)?) {
        self.id = id
        self.lane = lane
        self.sealer = sealer
    }

    var cipher: CipherID { lane.cipher }

    var isInUse: Bool { uses.load(ordering: .acquiring) > 0 }

    fileprivate func beginUse() { uses.add(1, ordering: .acquiringAndReleasing) }
    fileprivate func endUse() { uses.subtract(1, ordering: .acquiringAndReleasing) }
}

/// A write's hold on the key that it sealed with, until it is committed or given up.
final class KeyUse: Sendable {
    let key: DataKey

    /// Under the key ring's lock: whoever finds a key not in use there and takes it out of the ring meets no later use.
    init(_ key: DataKey) {
        self.key = key
        key.beginUse()
    }

    deinit { key.endUse() }
}

/// One hold for each key that many writes of a batch or a transaction sealed with.
struct KeyUses: Sendable {
    private var uses: [ObjectIdentifier: KeyUse] = [:]

    mutating func hold(_ use: KeyUse) { uses[ObjectIdentifier(use.key)] = use }
}

/// The data keys of a namespace.
struct NamespaceKeys: Sendable {
    /// By rising id.
    let keys: [DataKey]
    /// False while the catalogue has them as an earlier version sealed them: the next write has them sealed anew.
    let isBound: Bool

    /// What is written with in a lane; `nil` when that needs a new key.
    func active(_ lane: KeyLane) -> DataKey? {
        if lane.isChosen { return keys.last { $0.lane == lane } }
        let last = keys.last { !$0.lane.isChosen }
        return last?.lane == lane ? last : nil
    }

    func key(_ id: UInt32) -> DataKey? { keys.first { $0.id == id } }
}
