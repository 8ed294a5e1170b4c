import ShaleBase
import ShalePlatform
import Testing

@testable import ShaleSegment

/// Split blocks that a hostile writer made. Debug builds trap on every access out of bounds.
@Suite struct SplitBlockDamageTests {
    typealias Item = SplitSample.Item

    /// Checks what must hold of every block: it is refused, or all ways of reading it agree.
    private static func check(_ sample: SplitSample, _ what: String) {
        var entries: [Item]?
        do throws(ParseFailure) { entries = try sample.entries() } catch { entries = nil }
        guard let entries else {
            // Lookups may find something, but stay in bounds.
            for item in sample.items { _ = try? sample.find(item.key, through: item.trailer.sequence) }
            return
        }
        for item in entries {
            do throws(ParseFailure) {
                let found = try sample.find(item.key, through: item.trailer.sequence)
                // Two entries of a key may have one sequence and different kinds.
                #expect(found?.trailer.sequence == item.trailer.sequence, "\(what)")
                if found?.trailer == item.trailer { #expect(found == item, "\(what)") }
            } catch {
                Issue.record("\(what): a block that loads can't be searched: \(error.reason)")
            }
        }
    }

    @Test(arguments: SplitSample.Method.allCases, [true, false])
    func aChangedByteIsRefusedOrReadAlike(_ method: SplitSample.Method, _ hasFixedKeys: Bool) throws {
        let items = SplitSample.items(SeededRandom(seed: 5), count: 25, hasFixedKeys: hasFixedKeys)
        let sample = try SplitSample(items, method)
        for place in 0..<sample.storedLength {
            for mask: UInt8 in [1, 0x80, 0xff] {
                Self.check(sample.resealed { $0[place] ^= mask }, "byte \(place) ^ \(mask)")
            }
        }
    }

    @Test func severalChangedBytesAreRefusedOrReadAlike() throws {
        for seed in 1...300 {
            let random = SeededRandom(seed: UInt64(seed))
            let method = SplitSample.Method.allCases[seed % SplitSample.Method.allCases.count]
            let items = SplitSample.items(random, count: 1 + random.below(40), hasFixedKeys: seed % 8 < 4)
            let sample = try SplitSample(items, method)
            let changed = sample.resealed { stored in
                for _ in 0..<(1 + random.below(4)) {
                    stored[random.below(random.below(2) == 0 ? sample.keyPartLength : stored.count)] =
                        UInt8(truncatingIfNeeded: random.next())
                }
            }
            Self.check(changed, "seed \(seed)")
        }
    }

    @Test func aDamagedPageFailsItsChecksum() throws {
        let sample = try SplitSample((0..<40).map { SplitBlockTests.item($0, value: Array(repeating: 7, count: 100)) })
        for place in stride(from: sample.keyPartLength, to: sample.storedLength, by: 97) {
            let damaged = sample.changed { $0[place] ^= 4 }
            let error = #expect(throws: ParseFailure.self) { try damaged.entries() }
            #expect(error?.reason == "a page fails its checksum")
        }
    }

    private func expectRefused(_ sample: SplitSample, _ reason: String, _ change: (inout [UInt8]) -> Void) {
        let error = #expect(throws: ParseFailure.self) { try sample.resealed(change).entries() }
        #expect(error?.reason == reason)
    }

    @Test func headersThatDoNotFitAreRefused() throws {
        let sample = try SplitSample(DataBlockParsingTests.shapes[0])
        expectRefused(sample, "a data block's entry count differs from the index") { $0[0] ^= 1 }
        expectRefused(sample, "a data block's header is invalid") { $0[6] ^= 0x80 }
        expectRefused(sample, "a key part's page count is invalid") { $0[16] = 0 }
        expectRefused(sample, "a key part's page count is invalid") { $0[16] = 21 }
        expectRefused(sample, "a key part's header is invalid") { $0[18] = 1 }
        expectRefused(sample, "a key part's header is invalid") { $0[19] = 3 }
        let code = try SplitSample(DataBlockParsingTests.shapes[2], .code)
        try #require(code.codec == .valueCode)
        for width: UInt8 in [0, 3, 5] { expectRefused(code, "a key part's header is invalid") { $0[18] = width } }
    }

    @Test func pagesThatDoNotFitAreRefused() throws {
        let items = (0..<60).map { SplitBlockTests.item($0, value: Array(repeating: UInt8($0), count: 100)) }
        let sample = try SplitSample(items)
        let columns = try sample.part().columns
        expectRefused(sample, "a key part's pages don't fit its block") { $0[columns.firstEntries] = 1 }
        expectRefused(sample, "a key part's pages don't fit its block") { $0[columns.pageOffsets] = 1 }
        expectRefused(sample, "a key part's pages don't fit its block") { $0[columns.pageSums - 4] ^= 1 }
        // The second page begins where the first does, or beyond the third, so that the first holds too little.
        expectRefused(sample, "a key part's pages are out of order") { $0[columns.firstEntries + 2] = 0 }
        expectRefused(sample, "a block has the wrong length") { $0[columns.firstEntries + 2] = 50 }
        expectRefused(sample, "a key part's pages are out of order") { $0[columns.pageOffsets + 7] = 0x80 }
        expectRefused(sample, "a block has the wrong length") { $0[columns.pageOffsets + 4] -= 1 }
    }

    @Test func lengthsBeyondTheBlockAreRefusedBeforeMemoryIsTaken() throws {
        // One value of 4 GiB by its length, in a page of 3 bytes.
        let sample = try SplitSample([SplitBlockTests.item(1, value: [1, 2, 3])])
        let columns = try sample.part().columns
        let huge = sample.resealed { stored in for byte in 0..<4 { stored[columns.valueLengths + byte] = 0xff } }
        #expect(throws: ParseFailure.self) { try huge.entries() }
        let error = #expect(throws: ParseFailure.self) { try huge.find(sample.items[0].key) }
        #expect(error?.reason == "a value is longer than its block")
    }

    @Test func keysOutOfOrderAreRefusedWhenTheBlockIsLoaded() throws {
        let sample = try SplitSample((0..<40).map { SplitBlockTests.item($0, value: [1]) })
        let keys = try sample.part().columns.keys + 2
        expectRefused(sample, "a data block's keys are out of order") { $0.swapAt(keys + 3, keys + 5) }
    }
}
