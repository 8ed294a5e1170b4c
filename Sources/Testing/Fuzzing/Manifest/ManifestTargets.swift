import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleSimulation

extension FuzzTarget {
    /// Input: a manifest edit.
    static let manifestEdit = FuzzTarget(
        "manifest-edit", "manifest edit: decoding, application to an empty state", seeds: ManifestEditTarget.seeds
    ) { input in
        let edit: ManifestEdit
        do throws(StorageError) {
            edit = try input.withBytes { (bytes) throws(StorageError) in try ManifestEdit(decoding: bytes) }
        } catch {
            // Only the manifest's reader knows file and offset.
            return try requireTyped(error, namesPosition: false)
        }
        let encoded = ManifestEditTarget.encode(edit)
        let again = try encoded.withBytes { (bytes) throws(StorageError) in try ManifestEdit(decoding: bytes) }
        try require(ManifestEditTarget.encode(again) == encoded, "an edit changes when it is written again")
        try ManifestEditTarget.requireReplayable(edit)
    }
}

private enum ManifestEditTarget {
    static func encode(_ edit: ManifestEdit) -> [UInt8] {
        var buffer = ByteBuffer()
        edit.encode(into: &buffer)
        return buffer.bytes.array()
    }

    /// Checks that a state made by an edit can be written as the first record of a new manifest and read back
    /// unchanged.
    static func requireReplayable(_ edit: ManifestEdit) throws {
        let environment = SegmentEnvironment(memoryBudget: 1 << 20, openFileLimit: 16)
        let directory = ReadOnlyDirectory([:])
        let makeSegment: (SegmentMetadata) -> Segment = {
            Segment(metadata: $0, directory: directory, environment: environment)
        }
        let state: StoreState
        do throws(ParseFailure) {
            state = try StoreState().applying(edit, makeSegment: makeSegment)
        } catch {
            return
        }
        let opening = encode(state.snapshotEdit)
        let read = try opening.withBytes { (bytes) throws(StorageError) in try ManifestEdit(decoding: bytes) }
        let again = try StoreState().applying(read, makeSegment: makeSegment)
        try require(encode(again.snapshotEdit) == opening, "a state changes when its manifest is rewritten")
    }

    static func seeds() throws -> [[UInt8]] {
        let file = try SegmentSample.file()
        let metadata = try Segment.metadata(
            number: SegmentParts.number, directory: ReadOnlyDirectory([SegmentParts.name: file]),
            environment: SegmentEnvironment(memoryBudget: 1 << 20, openFileLimit: 16))
        let first = NamespaceID(rawValue: 1)
        let opening: [ManifestEdit.Fact] = [
            .nextFileNumber(20), .lastSequence(2000), .logFloor(18), .newestLog(18), .nextNamespaceID(4),
            .namespaceCreated(NamespaceRecord(id: first, name: Array("one".utf8), options: [1, 2])),
            .namespaceCreated(
                NamespaceRecord(
                    id: NamespaceID(rawValue: 2), name: [], options: [], truncatedThrough: 4, purgedThrough: 9)),
            .clockFloor(1_700_000_000_000),
            .clock(
                StoreClock(
                    trusted: 1_700_000_000_000, shown: 1_800_000_000_000, provisionalSince: 1_690_000_000_000,
                    doubt: StoreClock.Doubt(.ahead, since: 1_790_000_000_000))),
        ]
        let changes: [ManifestEdit.Fact] = [
            .namespaceOptions(first, [7]), .truncated(first, 30), .purged(first, 31), .namespaceDropped(first, 32),
            .segmentAdded(level: 0, metadata), .segmentMoved(SegmentParts.number, from: 0, to: 6),
            .segmentRemoved(SegmentParts.number, level: 6),
        ]
        return (opening.map { [$0] } + changes.map { [$0] } + [opening, opening + changes]).map {
            encode(ManifestEdit($0))
        }
    }
}

extension FuzzTarget {
    /// Input: the file CURRENT.
    static let current = FuzzTarget("current", "CURRENT", seeds: CurrentTarget.seeds) { input in
        var file = input
        if file.count >= 64 { file.put(file.checksum(0, 56, file: 0), at: 56) }
        let read: CurrentFile
        do throws(StorageError) {
            read = try CurrentFile.read(in: ReadOnlyDirectory([StoreLayout.current: file]))
        } catch {
            return try requireTyped(error)
        }
        let directory = try SimulatedFileSystem().openDirectory("/store", create: true)
        try read.write(in: directory)
        try require(try CurrentFile.read(in: directory) == read, "CURRENT does not survive being written")
    }
}

private enum CurrentTarget {
    static func seeds() throws -> [[UInt8]] {
        let files = SimulatedFileSystem()
        let directory = try files.openDirectory("/store", create: true)
        let current = CurrentFile(
            manifestNumber: 7, storeID: StoreID(1, 2), createdMilliseconds: 1_700_000_000_000)
        try current.write(in: directory)
        return [files.read("/store/" + StoreLayout.current) ?? []]
    }
}
