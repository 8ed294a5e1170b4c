import ShaleBase
import ShalePlatform

/// Hashes keys for tables in memory. The hashes depend on a secret, so that the author of keys can't choose keys that
/// collide.
///
/// XXH3, whose secret is public, would not do. A key of 32 bytes whose first 8 bytes equal the first word of that
/// secret makes a product 0 whatever the next 8 bytes are, so all such keys have one hash. A table of 10⁶ of them is a
/// list, and a transaction that writes them compares 5 × 10¹¹ keys. Here each product has a factor that the author of
/// the keys does not know.
///
/// A hash is never stored, and selects places in tables only: no result depends on the secret.
struct KeyHasher: Sendable {
    /// The hasher of this process.
    static let ofProcess = KeyHasher(random: SystemRandom())

    private let first: UInt64
    private let second: UInt64

    init(random: some RandomSource) {
        first = random.next()
        second = random.next()
    }

    /// - Complexity: O(key): one multiplication for 16 bytes.
    @inline(__always)
    func hash(_ namespace: NamespaceID, _ key: Bytes) -> UInt64 {
        let count = key.count
        var state = first ^ (UInt64(namespace.rawValue) &<< 32 | UInt64(truncatingIfNeeded: count))
        if count > 16 {
            var offset = 0
            while offset < count &- 16 {
                state = KeyHasher.folded(key.u64(at: offset) ^ second, key.u64(at: offset &+ 8) ^ state)
                offset &+= 16
            }
        }
        let (low, high) = KeyHasher.ends(key)
        let mixed = KeyHasher.folded(low ^ second, high ^ state)
        return KeyHasher.folded(mixed ^ first, 0x9E37_79B9_7F4A_7C15)
    }

    /// Returns the last 16 bytes of a key, and of a shorter one all bytes, some of them twice.
    @inline(__always)
    private static func ends(_ key: Bytes) -> (UInt64, UInt64) {
        let count = key.count
        if count > 16 { return (key.u64(at: count &- 16), key.u64(at: count &- 8)) }
        if count >= 8 { return (key.u64(at: 0), key.u64(at: count &- 8)) }
        if count >= 4 { return (UInt64(key.u32(at: 0)), UInt64(key.u32(at: count &- 4))) }
        guard count > 0 else { return (0, 0) }
        return (UInt64(key[0]) &<< 16 | UInt64(key[count &>> 1]) &<< 8 | UInt64(key[count &- 1]), 0)
    }

    /// Returns the halves of a product of 128 bits as one word.
    @inline(__always)
    private static func folded(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.low ^ product.high
    }
}
