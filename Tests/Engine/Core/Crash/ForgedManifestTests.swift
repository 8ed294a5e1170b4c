import ShaleBase
import ShaleEngine
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import Testing

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
