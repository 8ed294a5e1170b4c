import ShaleBase
import ShalePlatform
import ShaleSimulation
import Testing

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

extension EntryCursor {
    /// Checks the heads of all entries in both directions.
    func checkHeads(at headOffset: Int) throws {
        for direction in [Direction.forward, .backward] {
            try seek(nil, direction)
            while runCount > 0 {
                for i in 0..<runCount {
                    let entry = unsafe run[i]
                    #expect(entry.head == entry.key.head(at: headOffset))
                }
                try fill()
            }
        }
    }
}

extension SegmentFixture {
    /// Checks that a full read of segment 1 reports a changed byte, and returns no wrong entry. Restores the byte.
    func checkDamage(at offset: Int, mask: UInt8, _ metadata: SegmentMetadata, _ entries: [TestEntry]) {
        fileSystem.corrupt(SegmentFixture.path(1), at: offset, xor: mask)
        let report = ReadReport(self, metadata, entries)
        #expect(report.wrongAnswers.isEmpty, "offset \(offset) mask \(mask)")
        // A checksum or a comparison covers every byte of the file, so a full read must detect the change.
        #expect(!report.errors.isEmpty, "offset \(offset) mask \(mask)")
        for error in report.errors {
            #expect(error.code == .corruption, "offset \(offset): \(error)")
            #expect(error.file == SegmentFixture.path(1) && error.offset != nil)
        }
        fileSystem.corrupt(SegmentFixture.path(1), at: offset, xor: mask)
    }
}

/// The entries of a segment as a sorted array, the reference for lookups and cursors.
struct Model {
    let entries: [TestEntry]

    init(_ entries: [TestEntry]) { self.entries = entries }

    func newest(_ key: [UInt8], through limit: SequenceNumber) -> TestEntry? {
        entries.first { $0.key == key && $0.sequence <= limit }
    }

    func forward(from key: [UInt8]) -> [TestEntry] {
        Array(entries.drop { $0.key.lexicographicallyPrecedes(key) })
    }

    func backward(from key: [UInt8]) -> [TestEntry] {
        entries.prefix { $0.key.lexicographicallyPrecedes(key) }.reversed()
    }
}

/// Returns the keys of `entries`, their neighbours, prefixes and extensions, and keys of other namespaces.
func probes(around entries: [TestEntry]) -> [[UInt8]] {
    var keys: [[UInt8]] = [[], [0], [0, 0, 0, 0], [255, 255, 255, 255, 255]]
    for entry in entries {
        keys.append(entry.key)
        keys.append(entry.key + [0])
        keys.append(Array(entry.key.dropLast()))
        var next = entry.key
        next[next.count - 1] &+= 1
        keys.append(next)
        keys.append(Array(entry.key.prefix(4)))
    }
    return keys
}

/// Reads everything of a possibly damaged segment in every way, and collects the errors.
struct ReadReport {
    var wrongAnswers: [String] = []
    var errors: [StorageError] = []

    init(_ fixture: SegmentFixture, _ metadata: SegmentMetadata, _ entries: [TestEntry]) {
        let segment = fixture.open(metadata)
        for entry in entries {
            note("lookup") { () throws(StorageError) in
                try segment.lookUp(entry.key, through: entry.sequence) == entry
            }
        }
        note("forward") { () throws(StorageError) in try EntryCursor(segment, headOffset: 4).entries() == entries }
        note("backward") { () throws(StorageError) in
            try EntryCursor(segment, headOffset: 4, options: .compaction).entries(.backward) == entries.reversed()
        }
        note("verify") { () throws(StorageError) in
            try segment.verify()
            return true
        }
    }

    private mutating func note(_ what: String, _ read: () throws(StorageError) -> Bool) {
        do {
            if !(try read()) { wrongAnswers.append(what) }
        } catch {
            errors.append(error)
        }
    }
}
