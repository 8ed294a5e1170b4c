import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// A log with valid checksums that contradicts itself or the manifest: the open fails, names file and offset, and
/// changes nothing.
@Suite struct ForgedLogTests {
    /// Returns the disk of a killed process that wrote three entries, and the path of their log.
    private func killed() throws -> (disk: SimulatedFileSystem, path: String) {
        let store = try TestStore()
        let ns = try store.namespace("n")
        for i in 1...3 { try store.put("key\(i)", "value", in: ns) }
        let disk = store.files.crashClone(.processKill)
        let path = try #require(
            disk.paths().first { $0.hasSuffix(".wal") && LogImage(disk.read($0) ?? []).chunks.count >= 3 })
        return (disk, path)
    }

    private func expectRefusal(
        _ reason: String, _ path: String, at offset: Int, _ disk: SimulatedFileSystem,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let before = disk.contents
        let error = #expect(throws: StorageError.self, sourceLocation: sourceLocation) {
            try TestStore.open(disk, TestStore.smallOptions)
        }
        #expect(
            error?.code == .corruption && error?.message.hasPrefix(reason) == true, "\(String(describing: error))",
            sourceLocation: sourceLocation)
        #expect(error?.file.map { path.hasSuffix($0) } == true, sourceLocation: sourceLocation)
        #expect(error?.offset == UInt64(offset), sourceLocation: sourceLocation)
        #expect(disk.contents == before, sourceLocation: sourceLocation)
    }

    /// Changes the last of the three operations and opens the store.
    private func expectRefusal(_ reason: String, _ forge: (inout LogImage, [LogImage.Chunk]) -> Void) throws {
        let (disk, path) = try killed()
        var image = LogImage(try #require(disk.read(path)))
        let singles = image.chunks.filter { $0.type == 6 }
        try #require(singles.count == 3)
        forge(&image, singles)
        image.seal(singles[2])
        disk.write(path, image.bytes)
        expectRefusal(reason, path, at: singles[2].range.lowerBound, disk)
    }

    @Test func aBatchOfAnUnknownKindIsRefused() throws {
        try expectRefusal("a batch does not parse: unknown kind") { image, singles in
            image.bytes[singles[2].payload.lowerBound] = 0xee
        }
    }

    @Test func aSequenceThatWasThereBeforeIsRefused() throws {
        try expectRefusal("a batch repeats sequences") { image, singles in
            let trailer = singles[1].payload.prefix(8)
            image.bytes.replaceSubrange(singles[2].payload.prefix(8), with: image.bytes[trailer])
        }
    }

    @Test func aNamespaceThatWasNeverMadeIsRefused() throws {
        try expectRefusal("a batch names ") { image, singles in
            image.bytes[singles[2].payload.lowerBound + 8] = 77
        }
    }

    /// A synced write in a later log has made this one durable.
    @Test func aLogWithoutItsEndBeforeASyncedLogIsRefused() throws {
        let store = try TestStore(scheduling: .deferred)
        let ns = try store.namespace("n")
        func logs() -> [String] {
            store.files.paths().filter { LogImage(store.files.read($0) ?? []).chunks.count > 1 && $0.hasSuffix(".wal") }
        }
        var count = 0
        while logs().count < 2, count < 1000 {
            count += 1
            try store.put("key\(count)", String(repeating: "v", count: 1000), in: ns)
        }
        for i in 0..<2 { try store.put("last\(i)", "value", in: ns, durability: .synced) }
        let disk = store.files.crashClone(.processKill)
        let path = try #require(logs().min())
        var bytes = try #require(disk.read(path))
        let last = try #require(LogImage(bytes).chunks.last)
        bytes.replaceSubrange(last.range, with: repeatElement(0, count: last.range.count))
        disk.write(path, bytes)
        expectRefusal("the log before ", path, at: last.range.lowerBound, disk)
    }
}

/// A well-formed manifest whose content no store can have: the open fails, names file and offset, and loses nothing
/// (contract S-6, X-2).
@Suite struct ForgedManifestTests {
    /// Expects that the open fails after `change` has altered the state in the manifest of `disk`.
    private func expectRefusal(
        _ reason: String, _ disk: SimulatedFileSystem,
        _ change: (inout StoreState, @escaping (SegmentMetadata) -> Segment) throws -> Void
    ) throws {
        let directory = try disk.openDirectory("/store", create: false)
        let environment = SegmentEnvironment(memoryBudget: 8 << 20, openFileLimit: 8)
        let makeSegment = { Segment(metadata: $0, directory: directory, environment: environment) }
        let current = try CurrentFile.read(in: directory)
        var state = try Manifest.replay(current, in: directory, makeSegment: makeSegment)
        try change(&state, makeSegment)
        let forged = try Manifest.start(
            in: directory, state: state, identity: current, fileNumbers: FileNumbers(next: state.nextFileNumber),
            makeSegment: makeSegment)
        try forged.close()
        let error = #expect(throws: StorageError.self) { try TestStore.open(disk, TestStore.smallOptions) }
        #expect(error?.code == .corruption && error?.message == reason, "\(String(describing: error))")
        #expect(error?.file == forged.fileName && error?.offset == 0)
        let inForce = try CurrentFile.read(in: directory).manifestNumber
        #expect(StoreLayout.manifest(inForce) == forged.fileName)
    }

    @Test func sequencesThatAreUsedUpAreRefused() throws {
        let store = try TestStore()
        try store.put("key", "value", in: try store.namespace("n"))
        try store.engine.close()
        try expectRefusal("the store has used all sequence numbers", store.files) { state, _ in
            state.lastSequence = FormatLimits.lastSequence + 1
        }
    }

    /// The store has the maximal size, and the log's content would make it larger.
    @Test func aStoreWithoutRoomForItsLogIsRefused() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        try store.put("key", "value", in: ns)
        let disk = store.files.crashClone(.processKill)
        let reason = "recovery contradicts the manifest: the segments together are larger than a store can be"
        try expectRefusal(reason, disk) { state, makeSegment in
            let first = state.nextFileNumber
            state.nextFileNumber += FormatLimits.storeTotal / FormatLimits.segmentTotal
            var builder = VersionBuilder(state.version, makeSegment: makeSegment)
            for number in first..<state.nextFileNumber {
                var slice = SliceRecord(namespace: ns, firstBlock: 0)
                slice.blockCount = 1
                slice.entryCount = FormatLimits.segmentTotal
                let key = EncodedKey.start(of: ns) + [255, UInt8(truncatingIfNeeded: number - first)]
                let metadata = SegmentMetadata(
                    number: number, fileBytes: 10, createdMilliseconds: 0, smallestKey: key, largestKey: key,
                    slices: [slice])
                try builder.apply(.segmentAdded(level: 6, metadata))
                disk.write("/store/segments/" + StoreLayout.segment(number), [UInt8](repeating: 0, count: 10))
            }
            state.version = try builder.build()
        }
    }
}

/// Two files of a store are exchanged. Each is intact, but under the wrong name: the open names
/// one of them and changes nothing.
@Suite struct ExchangedLogTests {
    /// Returns a killed store with two logs and a spare, and synced writes in the newest log.
    private func killed() throws -> (disk: SimulatedFileSystem, options: Engine.Options) {
        let store = try TestStore(scheduling: .deferred)
        let ns = try store.namespace("n")
        let core = store.engine.core
        let first = core.viewCell.retained().logs[0]
        var number = 0
        while core.viewCell.retained().logs[0] == first {
            number += 1
            try store.put("key\(number)", String(repeating: "v", count: 1000), in: ns)
        }
        try core.recordNewestLog()
        try store.put("last", "value", in: ns, durability: .synced)
        try core.keepLogSpace(.slow)
        return (store.files.crashClone(.processKill), store.options)
    }

    @Test func everyExchangedPairOfLogsAndManifestsIsNamed() throws {
        let (healthy, options) = try killed()
        let paths = healthy.paths().filter { $0.hasSuffix(".wal") || $0.contains("MANIFEST") }
        #expect(paths.count == 4)
        for (index, path) in paths.enumerated() {
            for other in paths[..<index] {
                let disk = healthy.crashClone(.keepAll)
                let contents = try (#require(disk.read(path)), #require(disk.read(other)))
                disk.write(path, contents.1)
                disk.write(other, contents.0)
                let before = disk.contents
                let error = #expect(throws: StorageError.self, "\(path) and \(other)") {
                    _ = try TestStore.open(disk, options)
                }
                #expect(error?.code == .corruption, "\(path) and \(other): \(String(describing: error))")
                let file = try #require(error?.file)
                #expect(path.hasSuffix(file) || other.hasSuffix(file), "\(file)")
                #expect(disk.contents.filter { $0.key != "/store/LOCK" } == before.filter { $0.key != "/store/LOCK" })
            }
        }
    }
}
