/// XXH3-64 with seed 0 and the default secret, after the specification and reference implementation of Yann Collet
/// (github.com/Cyan4973/xxHash, `xxh3_64bits`).
///
/// Results equal the reference's bit for bit. XXH3 is the checksum of every block and log chunk, and the hash of the
/// filters. It is not keyed: it detects accidental damage, not tampering.
///
/// - Complexity: O(n); about 19 GB/s from 4 KiB up, 7 ns for 128 bytes on the machines it was tuned on.
package enum XXH3 {
    @usableFromInline static let prime32x1: UInt64 = 0x9E37_79B1
    @usableFromInline static let prime32x2: UInt64 = 0x85EB_CA77
    @usableFromInline static let prime32x3: UInt64 = 0xC2B2_AE3D
    @usableFromInline static let prime64x1: UInt64 = 0x9E37_79B1_85EB_CA87
    @usableFromInline static let prime64x2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    @usableFromInline static let prime64x3: UInt64 = 0x1656_67B1_9E37_79F9
    @usableFromInline static let prime64x4: UInt64 = 0x85EB_CA77_C2B2_AE63
    @usableFromInline static let prime64x5: UInt64 = 0x27D4_EB2F_1656_67C5
    @usableFromInline static let primeMix1: UInt64 = 0x1656_6791_9E37_79F9
    @usableFromInline static let primeMix2: UInt64 = 0x9FB2_1C65_1E98_DF25

    package static func hash(_ bytes: Bytes) -> UInt64 {
        let count = bytes.count
        if count <= 16 { return hashUpTo16(bytes) }
        if count <= 128 { return hashUpTo128(bytes) }
        if count <= 240 { return hashUpTo240(bytes) }
        return hashLong(bytes)
    }

    @inline(__always)
    static func foldedProduct(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.low ^ product.high
    }

    @inline(__always)
    static func avalanche(_ value: UInt64) -> UInt64 {
        var h = value
        h ^= h &>> 37
        h = h &* primeMix1
        return h ^ (h &>> 32)
    }

    @inline(__always)
    private static func avalanche64(_ value: UInt64) -> UInt64 {
        var h = value
        h ^= h &>> 33
        h = h &* prime64x2
        h ^= h &>> 29
        h = h &* prime64x3
        return h ^ (h &>> 32)
    }

    @inline(__always)
    private static func hashUpTo16(_ p: Bytes) -> UInt64 {
        let n = p.count
        if n > 8 {
            let flip1 = XXH3Secret.word(24) ^ XXH3Secret.word(32)
            let flip2 = XXH3Secret.word(40) ^ XXH3Secret.word(48)
            let low = p.u64(at: 0) ^ flip1
            let high = p.u64(at: n &- 8) ^ flip2
            let sum = UInt64(n) &+ low.byteSwapped &+ high &+ foldedProduct(low, high)
            return avalanche(sum)
        }
        if n >= 4 {
            let first = UInt64(p.u32(at: 0))
            let last = UInt64(p.u32(at: n &- 4))
            let flip = XXH3Secret.word(8) ^ XXH3Secret.word(16)
            var h = (last &+ (first &<< 32)) ^ flip
            h ^= (h &<< 49 | h &>> 15) ^ (h &<< 24 | h &>> 40)
            h = h &* primeMix2
            h ^= (h &>> 35) &+ UInt64(n)
            h = h &* primeMix2
            return h ^ (h &>> 28)
        }
        if n > 0 {
            let combined = UInt64(p[0]) &<< 16 | UInt64(p[n &>> 1]) &<< 24 | UInt64(p[n &- 1]) | UInt64(n) &<< 8
            let flip = UInt64(XXH3Secret.word32(0) ^ XXH3Secret.word32(4))
            return avalanche64(combined ^ flip)
        }
        return avalanche64(XXH3Secret.word(56) ^ XXH3Secret.word(64))
    }

    @inline(__always)
    private static func mix16(_ p: Bytes, _ offset: Int, _ secret: Int) -> UInt64 {
        foldedProduct(
            p.u64(at: offset) ^ XXH3Secret.word(secret), p.u64(at: offset &+ 8) ^ XXH3Secret.word(secret &+ 8))
    }

    @inline(__always)
    private static func hashUpTo128(_ p: Bytes) -> UInt64 {
        let n = p.count
        var sum = UInt64(n) &* prime64x1
        if n > 32 {
            if n > 64 {
                if n > 96 {
                    sum = sum &+ mix16(p, 48, 96)
                    sum = sum &+ mix16(p, n &- 64, 112)
                }
                sum = sum &+ mix16(p, 32, 64)
                sum = sum &+ mix16(p, n &- 48, 80)
            }
            sum = sum &+ mix16(p, 16, 32)
            sum = sum &+ mix16(p, n &- 32, 48)
        }
        sum = sum &+ mix16(p, 0, 0)
        sum = sum &+ mix16(p, n &- 16, 16)
        return avalanche(sum)
    }

    private static func hashUpTo240(_ p: Bytes) -> UInt64 {
        let owner = XXH3Secret.bytes
        let secret = owner.bytes
        let n = p.count
        var sum = UInt64(n) &* prime64x1
        for i in 0..<8 { sum = sum &+ mix16(p, 16 &* i, secret, 16 &* i) }
        sum = avalanche(sum)
        for i in 8..<(n / 16) { sum = sum &+ mix16(p, 16 &* i, secret, 16 &* (i &- 8) &+ 3) }
        sum = sum &+ mix16(p, n &- 16, secret, 136 &- 17)
        return withExtendedLifetime(owner) { avalanche(sum) }
    }

    @inline(__always)
    private static func mix16(_ p: Bytes, _ offset: Int, _ secret: Bytes, _ at: Int) -> UInt64 {
        foldedProduct(p.u64(at: offset) ^ secret.u64(at: at), p.u64(at: offset &+ 8) ^ secret.u64(at: at &+ 8))
    }
}
