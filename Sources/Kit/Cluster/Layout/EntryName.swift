import ShaleBase

/// The name of an entry in the omap of a shard. On the cluster, do not change: ShaleCluster.docc, "Layout on RADOS".
///
/// | part | bytes |
/// |---|---|
/// | kind | `e` for an entry |
/// | key | each byte 0 as 1 1, each byte 1 as 1 2, every other byte as it is |
/// | end | 1 |
///
/// The order of names is that of keys:
///
/// 1. Two keys that differ at a byte differ at the escaped byte, in the same direction: 1 1 < 1 2 < 2.
/// 2. If a key is a prefix of another, its end 1 is compared with the next byte of the other: 1 of an escaped pair, and
///    then the longer name follows, or a larger byte.
///
/// No name has a byte 0, because librados takes the start of a page as text that ends with 0.
enum EntryName {
    private static let kind = UInt8(ascii: "e")
    private static let escape: UInt8 = 1
    private static let end: UInt8 = 1

    /// The beginning of all names of entries.
    static let prefix: [UInt8] = [kind]

    static func name(of key: [UInt8]) -> [UInt8] {
        var name: [UInt8] = []
        name.reserveCapacity(key.count + 2)
        append(key, to: &name)
        return name
    }

    /// Appends the name of a key.
    static func append(_ key: [UInt8], to bytes: inout [UInt8]) {
        appendStart(key, to: &bytes)
        bytes.append(end)
    }

    /// Returns the beginning of the names of all keys that start with `key`. It precedes those names, and follows the
    /// names of all smaller keys.
    static func start(of key: [UInt8]) -> [UInt8] {
        var name: [UInt8] = []
        name.reserveCapacity(key.count + 1)
        appendStart(key, to: &name)
        return name
    }

    private static func appendStart(_ key: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(kind)
        for byte in key {
            if byte <= escape {
                bytes.append(escape)
                bytes.append(byte + 1)
            } else {
                bytes.append(byte)
            }
        }
    }

    /// Returns the key of a name.
    static func key(of name: Span<UInt8>) throws(StorageError) -> [UInt8] {
        try withKey(of: name) { (key) in [UInt8](copying: key) }
    }

    /// Passes the key of a name, which is valid during the call. Most keys have no escaped bytes, and are passed where
    /// they are.
    static func withKey<R>(
        of name: Span<UInt8>, _ body: (Span<UInt8>) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        guard name.count >= 2, name[0] == kind, name[name.count - 1] == end else { throw damage }
        let escaped = name.extracting(1..<name.count - 1)
        guard hasEscape(escaped) else { return try body(escaped) }
        let key = try unescaped(escaped)
        return try body(key.span)
    }

    /// Returns the place of the key in a name that is valid and has no escaped bytes; `nil` for another one.
    static func place(of name: Span<UInt8>) -> Range<Int>? {
        let place = 1..<name.count - 1
        return hasEscape(name.extracting(place)) ? nil : place
    }

    private static func hasEscape(_ bytes: Span<UInt8>) -> Bool {
        // Without a branch for each byte.
        var smallest = UInt8.max
        for index in bytes.indices { smallest = min(smallest, bytes[index]) }
        return smallest <= escape
    }

    private static func unescaped(_ bytes: Span<UInt8>) throws(StorageError) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard bytes[index] <= escape else {
                key.append(bytes[index])
                index += 1
                continue
            }
            // A byte 0, and a pair that stands for no byte, would give a key a second name.
            guard bytes[index] == escape, index + 1 < bytes.count, bytes[index + 1] == 1 || bytes[index + 1] == 2
            else { throw damage }
            key.append(bytes[index + 1] - 1)
            index += 2
        }
        return key
    }

    static func key(of name: [UInt8]) throws(StorageError) -> [UInt8] { try key(of: name.span) }

    private static var damage: StorageError { .corruption("the name of an entry in a shard is not valid") }
}
