import ShaleBase
import ShaleEngine
import ShaleManifest
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// A log with valid checksums that contradicts itself or the manifest: the open fails, names file and offset, and
/// changes nothing. Contract S-6, X-2, R-2.
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
