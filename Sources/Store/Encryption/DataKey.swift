import Synchronization

/// A data key of a namespace, unwrapped for use. Thread-safe.
final class DataKey: Sendable {
    let id: UInt32
    let slot: KeySlot
    /// `nil` if the store was opened without the cipher.
    let sealer: (any ValueSealer)?
    /// The number of writes that may have sealed with this key and are neither committed nor abandoned.
    private let uses = Atomic(0)

    init(id: UInt32, slot: KeySlot, sealer: (any ValueSealer)?) {
        self.id = id
        self.slot = slot
        self.sealer = sealer
    }

    var cipher: CipherID { slot.cipher }

    var isInUse: Bool { uses.load(ordering: .acquiring) > 0 }

    fileprivate func beginUse() { uses.add(1, ordering: .acquiringAndReleasing) }
    fileprivate func endUse() { uses.subtract(1, ordering: .acquiringAndReleasing) }
}

/// Marks a key as in use by a write, from sealing until the write is committed or abandoned.
final class KeyUse: Sendable {
    let key: DataKey

    /// Must run under the key ring's lock. A thread that finds the key unused under that lock and removes it from the
    /// ring can then rule out later uses.
    init(_ key: DataKey) {
        self.key = key
        key.beginUse()
    }

    deinit { key.endUse() }
}

/// The keys that the writes of one batch or transaction sealed with, one hold for each key.
struct KeyUses: Sendable {
    private var uses: [ObjectIdentifier: KeyUse] = [:]

    mutating func hold(_ use: KeyUse) { uses[ObjectIdentifier(use.key)] = use }
}

/// The data keys of a namespace.
struct NamespaceKeys: Sendable {
    /// In ascending order of id.
    let keys: [DataKey]
    /// False if the catalogue holds them in the form of an earlier version. The next write then seals them again, bound
    /// to name and options.
    let isBound: Bool

    /// Returns the key that new writes in a slot use; `nil` if the slot needs a new key.
    func active(_ slot: KeySlot) -> DataKey? {
        if slot.isChosen { return keys.last { $0.slot == slot } }
        let last = keys.last { !$0.slot.isChosen }
        return last?.slot == slot ? last : nil
    }

    func key(_ id: UInt32) -> DataKey? { keys.first { $0.id == id } }
}
