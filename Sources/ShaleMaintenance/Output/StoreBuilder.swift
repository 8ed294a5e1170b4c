import ShaleBase
import ShaleCompaction
import ShaleEngine
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// Makes a new store in an empty directory of entries that come in order, one version of each key, as segments of the last
/// level.
///
/// CURRENT comes last: until ``finish(_:)`` has returned, the directory is no store, and nobody takes it for an empty one.
/// One thread at a time. Memory: one segment's filter and index, and a block.
final class StoreBuilder {
    private let place: NewStorePlace
    private let numbers = FileNumbers(next: 2)
    private let segmentBytes: UInt64
    private let created: Int64
    private var output: OutputWriter
    private var finished: [SegmentMetadata] = []

    private(set) var entryCount: UInt64 = 0

    var storedBytes: UInt64 { finished.reduce(0) { $0 + $1.fileBytes } }

    /// `options` say how segments are written. The directory is made if it is missing.
    init(at path: String, _ fileSystem: any FileSystem, _ options: EngineOptions) throws(StorageError) {
        let last = FormatLimits.levels - 1
        let writing = SegmentWriterOptions(
            blockBytes: options.blockBytes, codec: options.lastCompression.codec,
            filterBitsPerKey: options.filterBitsPerKey[last])
        segmentBytes = UInt64(options.segmentBytes)
        created = options.time.wallMilliseconds
        place = try NewStorePlace(at: path, fileSystem)
        output = OutputWriter(
            directory: place.segments, options: writing, allocateNumber: { [numbers] in numbers.allocate() })
    }

    /// Keys ascend.
    func add(_ key: Bytes, _ trailer: Trailer, _ expiry: Int64, _ value: Bytes) throws(StorageError) {
        if output.fileBytes >= segmentBytes { try endSegment() }
        try output.add(key, trailer, expiry, value)
        entryCount += 1
    }

    private func endSegment() throws(StorageError) {
        if let metadata = try output.finish(createdMilliseconds: created) { finished.append(metadata) }
    }

    /// What the new store is besides its entries.
    struct Identity {
        let catalogue: Catalogue
        /// At or above every sequence in it.
        let lastSequence: SequenceNumber
        let clockFloor: Int64
        let storeID: StoreID
        let createdMilliseconds: Int64
    }

    /// Makes the directory a store. Everything is durable on return.
    func finish(_ identity: Identity) throws(StorageError) {
        try endSegment()
        do { try place.segments.sync() } catch { throw error.storageError }
        let environment = SegmentEnvironment(memoryBudget: 8 << 20, openFileLimit: 16)
        let makeSegment = { [place] in
            Segment(metadata: $0, directory: place.segments, environment: environment)
        }
        var levels: [[Segment]] = Array(repeating: [], count: FormatLimits.levels)
        levels[FormatLimits.levels - 1] = finished.map(makeSegment)
        var state = StoreState(version: Version(levels: levels))
        state.catalogue = identity.catalogue
        state.lastSequence = identity.lastSequence
        state.clockFloor = identity.clockFloor
        let current = CurrentFile(
            manifestNumber: 0, storeID: identity.storeID, createdMilliseconds: identity.createdMilliseconds)
        let manifest = try Manifest.start(
            in: place.root, state: state, identity: current, fileNumbers: numbers, makeSegment: makeSegment)
        try manifest.close()
        place.release()
    }

    /// Removes what was written, after an error, which is the one to report. What can't be removed takes space and is no
    /// store.
    func abandon() {
        output.abandon()
        place.abandon()
    }
}
