import ShaleBase
import Testing

@testable import ShaleEngine

/// DESIGN.md, "Observation": the ring holds 1 MiB of changes, and what does not fit is one gap.
@Suite struct ChangeRingTests {
    private static let capacity = 1 << 20
    private static let namespace = NamespaceID(rawValue: 7)

    /// Keys of 0 and 16 bytes fill the ring to its last byte. The others leave a rest, which the next round skips.
    @Test(arguments: [0, 16, 17, 200])
    func aFullRingTellsAllThatItHoldsAndThenOneGap(keyBytes: Int) {
        let ring = ChangeRing()
        ring.prepare()
        let key = OwnedBytes(count: 200)
        defer { withExtendedLifetime(key) {} }
        let room = UInt64(Self.capacity / (16 + (keyBytes + 15) / 16 * 16))
        var last: SequenceNumber = 0
        for _ in 0..<3 {
            let first = last + 1
            last += room + 5
            for sequence in first...last {
                key.mutable.store(sequence, at: 0)
                ring.append(.set, sequence, Self.namespace, key.bytes.slice(0, keyBytes))
            }
            _ = ring.publish()
            #expect(ring.hasGap)
            var told = first
            while ring.read(
                limit: 100,
                { record in
                    #expect(record.sequence == told && record.kind == .set && record.namespace == Self.namespace)
                    #expect(record.key.count == keyBytes && (keyBytes == 0 || record.key.u64(at: 0) == told))
                    told += 1
                }) > 0
            {}
            #expect(told == first + room)
            let lost = ring.takeLost()
            #expect(lost?.from == told && lost?.through == last)
            #expect(!ring.hasGap)
        }
    }

    /// To wake the reader is a system call, which a writer makes only if it has to.
    @Test func aReaderIsWokenOnlyWhileItSleeps() {
        let ring = ChangeRing()
        ring.prepare()
        ring.append(.dropped, 1, Self.namespace, .empty)
        #expect(!ring.publish())
        // There is something to read, so it does not sleep.
        ring.waitForNews { false }
        ring.append(.dropped, 2, Self.namespace, .empty)
        #expect(!ring.publish())
    }
}
