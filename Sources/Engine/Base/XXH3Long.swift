extension XXH3 {
    /// Eight 64-bit lanes as four pairs, which the compiler keeps in SSE2 or NEON registers.
    private struct Lanes {
        var a = SIMD2<UInt64>(XXH3.prime32x3, XXH3.prime64x1)
        var b = SIMD2<UInt64>(XXH3.prime64x2, XXH3.prime64x3)
        var c = SIMD2<UInt64>(XXH3.prime64x4, XXH3.prime32x2)
        var d = SIMD2<UInt64>(XXH3.prime64x5, XXH3.prime32x1)
    }

    @inline(__always)
    private static func pair(_ p: Bytes, _ offset: Int) -> SIMD2<UInt64> {
        SIMD2(p.u64(at: offset), p.u64(at: offset &+ 8))
    }

    @inline(__always)
    private static func accumulate(_ lane: inout SIMD2<UInt64>, _ data: SIMD2<UInt64>, _ key: SIMD2<UInt64>) {
        let mixed = data ^ key
        let mask = SIMD2<UInt64>(repeating: 0xffff_ffff)
        lane = lane &+ SIMD2(data.y, data.x) &+ (mixed & mask) &* (mixed &>> SIMD2(repeating: 32))
    }

    @inline(__always)
    private static func accumulateStripe(_ lanes: inout Lanes, _ p: Bytes, _ at: Int, _ secret: Bytes, _ k: Int) {
        accumulate(&lanes.a, pair(p, at), pair(secret, k))
        accumulate(&lanes.b, pair(p, at &+ 16), pair(secret, k &+ 16))
        accumulate(&lanes.c, pair(p, at &+ 32), pair(secret, k &+ 32))
        accumulate(&lanes.d, pair(p, at &+ 48), pair(secret, k &+ 48))
    }

    @inline(__always)
    private static func scramble(_ lane: inout SIMD2<UInt64>, _ key: SIMD2<UInt64>) {
        let mixed = lane ^ (lane &>> SIMD2(repeating: 47)) ^ key
        lane = mixed &* SIMD2(repeating: XXH3.prime32x1)
    }

    @inline(__always)
    private static func merge(_ lane: SIMD2<UInt64>, _ key: SIMD2<UInt64>) -> UInt64 {
        XXH3.foldedProduct(lane.x ^ key.x, lane.y ^ key.y)
    }

    @inline(never)
    static func hashLong(_ p: Bytes) -> UInt64 {
        let owner = XXH3Secret.bytes
        let secret = owner.bytes
        let n = p.count
        let blockLength = 1024
        let blocks = (n &- 1) / blockLength
        var lanes = Lanes()
        var at = 0
        for _ in 0..<blocks {
            for s in 0..<16 { accumulateStripe(&lanes, p, at &+ 64 &* s, secret, 8 &* s) }
            scramble(&lanes.a, pair(secret, 128))
            scramble(&lanes.b, pair(secret, 144))
            scramble(&lanes.c, pair(secret, 160))
            scramble(&lanes.d, pair(secret, 176))
            at &+= blockLength
        }
        let stripes = (n &- 1 &- at) / 64
        for s in 0..<stripes { accumulateStripe(&lanes, p, at &+ 64 &* s, secret, 8 &* s) }
        accumulateStripe(&lanes, p, n &- 64, secret, 192 &- 64 &- 7)
        var sum = UInt64(n) &* prime64x1
        sum = sum &+ merge(lanes.a, pair(secret, 11))
        sum = sum &+ merge(lanes.b, pair(secret, 27))
        sum = sum &+ merge(lanes.c, pair(secret, 43))
        sum = sum &+ merge(lanes.d, pair(secret, 59))
        return withExtendedLifetime(owner) { avalanche(sum) }
    }
}
