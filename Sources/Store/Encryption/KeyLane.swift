/// The cipher of a data key, and where the choice came from. Each lane of a namespace has one key that is written with.
struct KeyLane: Hashable, Sendable {
    let cipher: CipherID
    /// True if calls named the cipher. A change of data keys keeps the cipher of such values, and moves all others to
    /// the cipher that the namespace or the store names now.
    let isChosen: Bool
}

extension [WrappedKey] {
    /// The keys that are written with, when `cipher` is the namespace's: of those that no call chose the last one, if
    /// it is of that cipher, and of each cipher that calls chose the last one.
    func active(_ cipher: CipherID) -> [WrappedKey] {
        filter { key in
            key.lane.isChosen || key.cipher == cipher
        }.filter { key in
            !contains { $0.id > key.id && (key.lane.isChosen ? $0.lane == key.lane : !$0.lane.isChosen) }
        }
    }

    /// The lanes that have a key when a change of the keys has ended.
    func lanes(_ cipher: CipherID) -> [KeyLane] {
        var lanes: [KeyLane] = []
        for key in self {
            let lane = key.lane.isChosen ? key.lane : KeyLane(cipher: cipher, isChosen: false)
            if !lanes.contains(lane) { lanes.append(lane) }
        }
        return lanes
    }

    /// True if a change has begun and not ended: every lane has its new key, and older ones are left.
    func isChanging(_ cipher: CipherID) -> Bool {
        let active = active(cipher)
        return count > active.count && active.count == lanes(cipher).count
    }

    /// True if some lane has several keys, or values of a cipher are left that is not the namespace's any more.
    var hasSeveralInALane: Bool {
        contains { key in
            contains { $0.id > key.id && (key.lane.isChosen ? $0.lane == key.lane : !$0.lane.isChosen) }
        }
    }

    /// The same keys, sealed for another place or under another master key.
    func resealed(
        from old: KeyPlace, with oldMaster: MasterKey, to new: KeyPlace, with newMaster: MasterKey
    ) throws(StorageError) -> [WrappedKey] {
        var keys: [WrappedKey] = []
        for key in self {
            let secret = try key.unwrapped(at: old, with: oldMaster)
            keys.append(try WrappedKey(secret, id: key.id, lane: key.lane, at: new, with: newMaster))
        }
        return keys
    }
}
