/// The cipher of a data key and the origin of that choice. Each lane of a namespace has one key for new writes.
struct KeyLane: Hashable, Sendable {
    let cipher: CipherID
    /// True if calls named the cipher. A change of data keys keeps the cipher of such values. It moves all other values
    /// to the cipher that the namespace or the store names now.
    let isChosen: Bool
}

extension [WrappedKey] {
    /// Returns the keys that new writes use if `cipher` is the namespace's cipher: for each cipher chosen by calls, its
    /// last key; and the last key not chosen by a call, if it is of `cipher`.
    func active(_ cipher: CipherID) -> [WrappedKey] {
        filter { key in
            key.lane.isChosen || key.cipher == cipher
        }.filter { key in
            !contains { $0.id > key.id && (key.lane.isChosen ? $0.lane == key.lane : !$0.lane.isChosen) }
        }
    }

    /// Returns the lanes that have a key once a change of the keys has finished.
    func lanes(_ cipher: CipherID) -> [KeyLane] {
        var lanes: [KeyLane] = []
        for key in self {
            let lane = key.lane.isChosen ? key.lane : KeyLane(cipher: cipher, isChosen: false)
            if !lanes.contains(lane) { lanes.append(lane) }
        }
        return lanes
    }

    /// True if a change has begun and not finished: every lane has its new key, and older keys remain.
    func isChanging(_ cipher: CipherID) -> Bool {
        let active = active(cipher)
        return count > active.count && active.count == lanes(cipher).count
    }

    /// True if a lane has several keys, or values remain in a cipher that is no longer the namespace's.
    var hasSeveralInALane: Bool {
        contains { key in
            contains { $0.id > key.id && (key.lane.isChosen ? $0.lane == key.lane : !$0.lane.isChosen) }
        }
    }

    /// Returns the same keys, sealed for another place or under another master key.
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
