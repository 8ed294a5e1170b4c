import ShaleBase
import ShaleLog
import ShalePlatform
import TestSupport
import Testing

/// A long log with every kind of damage at every byte.
@Suite struct LogMatrixTests {
    enum Damage: CaseIterable {
        case flip, cut, zeroSector, splice
    }

    /// Returns a log of at least `bytes` bytes. Its records have all sizes, some span several blocks, and random syncs
    /// separate them.
    private static func log(_ bytes: Int, number: UInt64 = TestLog.number, seed: UInt64) throws -> TestLog {
        let random = SeededRandom(seed: seed)
        var log = try TestLog(number: number)
        while log.writer.endOffset < bytes {
            try log.append(count: random.below(random.chance(0.1) ? 50_000 : 700))
            if random.chance(0.2) { try log.sync() }
            if random.chance(0.05) { try log.writer.appendMark() }
        }
        return log
    }

    @Test(arguments: Damage.allCases)
    func everyByteOfALongLogFollowsTheRule(_ damage: Damage) throws {
        let bytes = Ring.choose(commit: 64, nightly: 256, release: 256) << 10
        let log = try LogMatrixTests.log(bytes, seed: Ring.seed)
        // Another log at the same offsets, as a recycled file or a misplaced write may leave it.
        let stale = try LogMatrixTests.log(bytes, number: TestLog.number - 1, seed: Ring.seed &+ 1).content
        let content = log.content
        let model = DamageModel(content)
        let step = Ring.choose(commit: 809, nightly: 1, release: 1)
        var states = 0
        for offset in stride(from: 64, to: content.count, by: step) {
            let damaged = LogMatrixTests.apply(damage, to: content, at: offset, stale)
            let complaint = model.complaint(about: TestLog.read(damaged), of: damaged, records: log.records)
            states += 1
            if let complaint {
                Issue.record("\(damage) at=\(offset): \(complaint); \(Ring.reproduction)")
                break
            }
        }
        Ring.covered(states, "damaged logs", "\(damage)")
    }

    private static func apply(_ damage: Damage, to content: [UInt8], at offset: Int, _ stale: [UInt8]) -> [UInt8] {
        var damaged = content
        let sector = offset..<min(offset + 512, content.count)
        switch damage {
        case .flip: damaged[offset] ^= UInt8(1 << (offset % 8))
        case .cut: damaged.removeLast(content.count - offset)
        case .zeroSector: for index in sector { damaged[index] = 0 }
        // Replaces everything up to the end, or one sector.
        case .splice:
            let end = offset % 2 == 0 ? min(content.count, stale.count) : min(sector.upperBound, stale.count)
            if offset < end { damaged.replaceSubrange(offset..<end, with: stale[offset..<end]) }
        }
        return damaged
    }
}
