import ShaleBase
import ShalePlatform
import ShaleSimulation

@testable import ShaleSegment

/// A directory of segments in memory, with everything that writing and reading them needs.
final class SegmentFixture: Sendable {
    let fileSystem: SimulatedFileSystem
    let directory: any Directory
    let environment: SegmentEnvironment
    let budget: MemoryBudget
    let domain: EpochDomain

    /// Makes a fixture. By default it has an epoch domain of its own, so that pins of other tests' threads delay
    /// nothing here.
    init(
        cacheBytes: Int = 64 << 20, openFileLimit: Int = 100, sharing fileSystem: SimulatedFileSystem? = nil,
        domain: EpochDomain = EpochDomain()
    ) throws {
        self.fileSystem = fileSystem ?? SimulatedFileSystem()
        directory = try self.fileSystem.openDirectory("/segments", create: true)
        budget = MemoryBudget(limitBytes: cacheBytes, cacheFloorBytes: 0)
        self.domain = domain
        environment = SegmentEnvironment(budget: budget, openFileLimit: openFileLimit, domain: domain)
    }

    static func path(_ number: UInt64) -> String { "/segments/" + SegmentFileName.make(number) }

    /// The number of segment files that are open now, for reading or writing.
    var openFileCount: Int { fileSystem.openHandlePaths.count { $0.hasSuffix(".seg") } }

    func write(
        _ entries: [TestEntry], number: UInt64 = 1, options: SegmentWriterOptions = SegmentWriterOptions()
    ) throws -> SegmentMetadata {
        let writer = try SegmentWriter(directory: directory, number: number, options: options)
        for entry in entries { try writer.add(entry) }
        return try writer.finish(createdMilliseconds: 1_700_000_000_000)
    }

    func open(_ metadata: SegmentMetadata) -> Segment {
        Segment(metadata: metadata, directory: directory, environment: environment)
    }

    func segment(
        _ entries: [TestEntry], number: UInt64 = 1, options: SegmentWriterOptions = SegmentWriterOptions()
    ) throws -> Segment {
        open(try write(entries, number: number, options: options))
    }
}

extension SegmentWriter {
    func add(_ entry: TestEntry) throws(StorageError) {
        let key = OwnedBytes(entry.key)
        let value = OwnedBytes(entry.value)
        try add(key.bytes, trailer: entry.trailer, expiry: entry.expiry, value: value.bytes)
        withExtendedLifetime((key, value)) {}
    }
}

extension Segment {
    /// Looks up a key under a pin and copies the result.
    func lookUp(
        _ key: [UInt8], through limit: SequenceNumber = Trailer.sequenceMax, fillCache: Bool = true
    ) throws(StorageError) -> TestEntry? {
        let pin = domain.pin()
        defer { domain.unpin(pin) }
        return try key.lent { bytes throws(StorageError) in
            try get(bytes, hash: XXH3.hash(bytes), through: limit, fillCache: fillCache).map {
                TestEntry(
                    key: key, sequence: $0.trailer.sequence, kind: $0.trailer.kind, expiry: $0.expiry,
                    value: $0.value.array())
            }
        }
    }
}

extension EntryCursor {
    /// Returns all entries from `key` on, in `direction`.
    func entries(from key: [UInt8]? = nil, _ direction: Direction = .forward) throws(StorageError) -> [TestEntry] {
        let memory = key.map { OwnedBytes($0) }
        defer { withExtendedLifetime(memory) {} }
        try seek(memory?.bytes, direction)
        var result: [TestEntry] = []
        while runCount > 0 {
            for i in 0..<runCount { unsafe result.append(TestEntry(run[i])) }
            try fill()
        }
        return result
    }
}
