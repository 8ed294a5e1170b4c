import ShaleBase
import ShaleLog
import ShalePlatform
import ShaleSimulation
import Testing

/// Mapped stores and writes produce the same bytes of a log.
@Suite struct MappedLogTests {
    private func content(
        isMapped: Bool, writing: Double = 0, preallocate: UInt64, seed: UInt64
    ) throws -> [UInt8] {
        let random = SeededRandom(seed: seed)
        let routes = SeededRandom(seed: seed)
        let directory = try SimulatedFileSystem().openDirectory("/wal", create: true)
        let writer = try LogWriter(
            directory: directory, name: "log", number: 12, kind: .wal, previous: .none, preallocate: preallocate,
            isMapped: isMapped)
        for index in 0..<60 {
            let count = random.chance(0.1) ? random.below(90_000) : random.below(3000)
            let record = OwnedBytes(count: count)
            for position in 0..<count { record.mutable[position] = UInt8(truncatingIfNeeded: position &* 7 &+ index) }
            let route: AppendMethod = routes.chance(writing) ? .written : .mapped
            if random.chance(0.3), let frame = writer.reserveSingle(count, route) {
                frame.copy(record.bytes, at: 0)
                try writer.commit()
            } else {
                try writer.append(record.bytes, route)
            }
            if random.chance(0.2) {
                let end = writer.endOffset
                try writer.sync()
                writer.markSynced(through: end)
                if random.chance(0.5) { try writer.appendMark() }
            }
        }
        try writer.close(truncating: true)
        let file = try directory.open("log")
        let target = OwnedBytes(count: Int(try file.size()))
        #expect(try file.read(into: target.mutable, at: 0) == target.bytes.count)
        return target.bytes.array()
    }

    /// The reservations range from less than one block to more than the log. So the log begins mapped, outgrows its
    /// space and moves from window to window.
    @Test(arguments: [1 << 12, 1 << 15, 100_000, 1 << 18, 3 << 20] as [UInt64], 0..<4 as Range<UInt64>)
    func aMappedLogHasTheBytesOfAWrittenOne(_ preallocate: UInt64, _ seed: UInt64) throws {
        let mapped = try content(isMapped: true, preallocate: preallocate, seed: seed)
        let written = try content(isMapped: false, preallocate: preallocate, seed: seed)
        #expect(mapped == written, "seed=\(seed) preallocate=\(preallocate)")
    }

    /// Records of both routes alternate, across windows and with records of several chunks.
    @Test(arguments: [1 << 15, 1 << 18, 3 << 20] as [UInt64], 0..<4 as Range<UInt64>)
    func routesMayAlternate(_ preallocate: UInt64, _ seed: UInt64) throws {
        let mixed = try content(isMapped: true, writing: 0.5, preallocate: preallocate, seed: seed)
        let written = try content(isMapped: false, preallocate: preallocate, seed: seed)
        #expect(mixed == written, "seed=\(seed) preallocate=\(preallocate)")
    }

    @Test func aFailedStoreEndsTheLog() throws {
        let files = SimulatedFileSystem()
        let directory = try files.openDirectory("/wal", create: true)
        let writer = try LogWriter(
            directory: directory, name: "log", number: 12, kind: .wal, previous: .none, preallocate: 1 << 20,
            isMapped: true)
        let record = OwnedBytes(count: 100)
        record.mutable.zero(0, 100)
        try writer.append(record.bytes)
        let end = writer.endOffset
        files.inject(FaultRule(on: [.write], when: .match(1), .error(5)))
        #expect(throws: IOFailure.self) { try writer.append(record.bytes) }
        #expect(writer.failure != nil && writer.endOffset == end)
        #expect(throws: IOFailure.self) { try writer.append(record.bytes) }
        #expect(throws: IOFailure.self) { try writer.sync() }
        try writer.close(truncating: false)
    }
}
