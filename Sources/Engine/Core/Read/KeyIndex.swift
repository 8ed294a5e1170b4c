import ShaleBase

/// The offsets at which different keys lie in a buffer, found by the hashes of the keys.
///
/// Up to eight keys are compared one after the other. Beyond that a table is built, so a key costs one hash and about
/// one comparison of bytes, also if an attacker chooses the keys: ``KeyHasher``.
struct KeyIndex {
    private struct Entry {
        let hash: UInt64
        var offset: Int
    }

    private static let fewMax = 8

    private let hasher: KeyHasher
    private var entries: [Entry] = []
    /// The numbers of the entries at the places that their hashes select, or behind them; -1 for an empty place. A
    /// power of two, at most half full.
    private var table: [Int32] = []

    /// The number of keys. Keys are numbered in the order in which they were added.
    var count: Int { entries.count }

    /// The offset of a key.
    subscript(number: Int) -> Int {
        get { entries[number].offset }
        set { entries[number].offset = newValue }
    }

    init(_ hasher: KeyHasher = .ofProcess) { self.hasher = hasher }

    /// Returns the hash that selects a key.
    @inline(__always)
    func hash(_ namespace: NamespaceID, _ key: Bytes) -> UInt64 { hasher.hash(namespace, key) }

    /// Returns the number of the key with a hash for whose offset `isKey` holds.
    func number(_ hash: UInt64, where isKey: (_ offset: Int) -> Bool) -> Int? {
        if table.isEmpty {
            return entries.indices.first { entries[$0].hash == hash && isKey(entries[$0].offset) }
        }
        let mask = table.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while table[place] >= 0 {
            let number = Int(table[place])
            if entries[number].hash == hash, isKey(entries[number].offset) { return number }
            place = (place + 1) & mask
        }
        return nil
    }

    /// Adds a key that is not there.
    mutating func append(_ hash: UInt64, _ offset: Int) {
        // Most transactions use few keys: one allocation instead of four.
        if entries.isEmpty { entries.reserveCapacity(KeyIndex.fewMax) }
        entries.append(Entry(hash: hash, offset: offset))
        guard entries.count > KeyIndex.fewMax else { return }
        guard entries.count * 2 > table.count else { return place(entries.count - 1) }
        table = [Int32](repeating: -1, count: max(table.count * 2, KeyIndex.fewMax * 4))
        for number in entries.indices { place(number) }
    }

    private mutating func place(_ number: Int) {
        let mask = table.count - 1
        var place = Int(truncatingIfNeeded: entries[number].hash) & mask
        while table[place] >= 0 { place = (place + 1) & mask }
        table[place] = Int32(truncatingIfNeeded: number)
    }
}

/// The single keys that a transaction has read, each once.
struct ReadKeys {
    private static let lengthBytes = 4
    /// Room for the keys of most transactions.
    private static let usualBytes = 256

    private var index = KeyIndex()
    /// For each key its length as an encoded key, u32, and the encoded key.
    private var bytes: [UInt8] = []

    /// Adds a key unless it is there.
    mutating func insert(_ namespace: NamespaceID, _ key: Bytes) {
        insert(namespace, key, hash: index.hash(namespace, key))
    }

    /// Adds a key unless it is there. `hash` is that of ``KeyHasher/ofProcess``. Returns true if the key was added.
    @discardableResult
    mutating func insert(_ namespace: NamespaceID, _ key: Bytes, hash: UInt64) -> Bool {
        guard index.number(hash, where: { isKey(at: $0, namespace, key) }) == nil else { return false }
        index.append(hash, bytes.count)
        if bytes.isEmpty { bytes.reserveCapacity(ReadKeys.usualBytes) }
        let length = UInt32(truncatingIfNeeded: EncodedKey.namespaceWidth + key.count)
        unsafe withUnsafeBytes(of: (length.littleEndian, namespace.rawValue.bigEndian)) {
            unsafe bytes.append(contentsOf: $0)
        }
        unsafe bytes.append(contentsOf: key.buffer)
        return true
    }

    private func isKey(at offset: Int, _ namespace: NamespaceID, _ key: Bytes) -> Bool {
        bytes.withBytes { (bytes) in
            let known = ReadKeys.encodedKey(in: bytes, at: offset)
            return EncodedKey.namespace(of: known) == namespace
                && known.suffix(from: EncodedKey.namespaceWidth) == key
        }
    }

    private static func encodedKey(in bytes: Bytes, at offset: Int) -> Bytes {
        bytes.slice(offset + lengthBytes, Int(bytes.u32(at: offset)))
    }

    /// Calls `body` with the encoded keys, which are valid during the call.
    func forEach(_ body: (Bytes) throws(StorageError) -> Void) throws(StorageError) {
        try bytes.withBytes { (bytes) throws(StorageError) in
            for number in 0..<index.count { try body(ReadKeys.encodedKey(in: bytes, at: index[number])) }
        }
    }
}
