import ShaleBase
import ShaleEngine
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// Makes a new store in an empty directory. Entries arrive in order, with one version of each key, and become segments
/// of the last level.
///
/// CURRENT is written last: until ``finish(_:)`` has returned, the directory is no store and can't be mistaken for an
/// empty one. One thread calls all functions. With more than one thread, others compress blocks and finish a segment
/// while the next one is filled. Memory: filters and indexes of two segments, and four blocks for each thread.
final class StoreBuilder {
    private let output: NewStoreDirectory
    private let numbers = FileNumbers(next: 2)
    private let segmentBytes: UInt64
    private let largeValueBytes: Int
    private let writing: SegmentWriterOptions
    private let created: Int64
    private let finishesInBackground: Bool
    private var writer: SegmentWriter?
    /// The large values of the segment that is being written, in a file with its number.
    private var values: BuiltValues?
    /// The previous segment, while it is being finished.
    private var finisher: SegmentFinisher?
    private var finished: [SegmentMetadata] = []

    private(set) var entryCount: UInt64 = 0

    /// The bytes of the finished segments and of their value files.
    var storedBytes: UInt64 { finished.reduce(0) { $0 + $1.writtenBytes } }

    /// Starts a store; creates the directory if it is missing. `options` apply to writing segments. `threads` includes
    /// the calling thread; with 1, the calls of the file system have the same order every time.
    init(
        at path: String, _ fileSystem: any FileSystem, _ options: Engine.Options, threads: Int
    ) throws(StorageError) {
        let last = FormatLimits.levels - 1
        var writing = SegmentWriterOptions(
            blockBytes: options.blockBytes, codec: options.lastCompression.codec,
            filterBitsPerKey: options.filterBitsPerKey[last])
        segmentBytes = UInt64(options.segmentBytes)
        largeValueBytes = options.largeValueBytes > 0 ? options.largeValueBytes : .max
        created = options.time.wallMilliseconds
        output = try NewStoreDirectory(at: path, fileSystem)
        let helpers = min(threads, StoreBuilder.threadsMax) - 1
        if helpers > 0 { writing.helpers = CompressionHelpers(threads: helpers) }
        finishesInBackground = helpers > 0
        self.writing = writing
    }

    /// The maximum number of threads: one thread can't supply more with entries.
    private static let threadsMax = 8

    /// Adds an entry. Keys must ascend.
    func add(_ key: Bytes, _ trailer: Trailer, _ expiry: Int64, _ value: Bytes) throws(StorageError) {
        entryCount += 1
        // No block has room for a value that was written in pieces.
        let isLarge = value.count >= largeValueBytes || value.count > FormatLimits.valueBytes
        if isLarge, !trailer.kind.isDelete { return try addLarge(key, trailer, expiry, value) }
        if let writer, writer.addToBlock(key, trailer: trailer, expiry: expiry, value: value) { return }
        try addToNextBlock(key, trailer, expiry, value)
    }

    private func addToNextBlock(
        _ key: Bytes, _ trailer: Trailer, _ expiry: Int64, _ value: Bytes
    ) throws(StorageError) {
        try writerWithRoom().add(key, trailer: trailer, expiry: expiry, value: value)
    }

    /// Adds an entry whose value goes to the value file of the segment.
    private func addLarge(_ key: Bytes, _ trailer: Trailer, _ expiry: Int64, _ value: Bytes) throws(StorageError) {
        let writer = try writerWithRoom()
        let target: BuiltValues
        if let values { target = values } else { target = try BuiltValues(writer.number, in: output.segments) }
        values = target
        let trailer = Trailer(trailer.sequence, trailer.kind.ofReference)
        try writer.add(key, trailer: trailer, expiry: expiry, value: try target.append(value))
    }

    /// Returns the writer of the present segment. Begins the next one if it is full.
    private func writerWithRoom() throws(StorageError) -> SegmentWriter {
        if let writer {
            let isFull = writer.writtenBytes >= segmentBytes || values?.byteCount ?? 0 >= StoreBuilder.valueBytesMax
            if !isFull { return writer }
            try endSegment()
        }
        let next = try SegmentWriter(directory: output.segments, number: numbers.allocate(), options: writing)
        writer = next
        return next
    }

    /// The size of a value file from which the next segment begins. A larger file would be collected less often, and
    /// more of it at a time.
    private static let valueBytesMax: UInt64 = 64 << 20

    private func endSegment() throws(StorageError) {
        guard let writer else { return }
        if let values { writer.values = [try values.finish()] }
        values = nil
        if finishesInBackground {
            try awaitFinisher()
            self.writer = nil
            finisher = SegmentFinisher(writer, createdMilliseconds: created)
        } else {
            finished.append(try writer.finish(createdMilliseconds: created))
            self.writer = nil
        }
    }

    private func awaitFinisher() throws(StorageError) {
        guard let finisher else { return }
        finished.append(try finisher.wait())
        self.finisher = nil
    }

    /// The properties of the new store besides its entries.
    struct Identity {
        let catalogue: Catalogue
        /// At or above every sequence in the store.
        let lastSequence: SequenceNumber
        let clockFloor: Int64
        let storeID: StoreID
        let createdMilliseconds: Int64
    }

    /// Turns the directory into a store. Everything is durable on return.
    func finish(_ identity: Identity) throws(StorageError) {
        try endSegment()
        try awaitFinisher()
        do { try output.segments.sync() } catch { throw error.storageError }
        let environment = SegmentEnvironment(memoryBudget: 8 << 20, openFileLimit: 16)
        let makeSegment = { [output] in
            Segment(metadata: $0, directory: output.segments, environment: environment)
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
            in: output.root, state: state, identity: current, fileNumbers: numbers, makeSegment: makeSegment)
        try manifest.close()
        output.release()
    }

    /// Removes the files written so far, after an error that the caller reports. Files that can't be removed take space
    /// but are no store.
    func abandon() {
        finisher?.abandon()
        writer?.abandon()
        output.abandon()
    }
}

/// A full segment that another thread finishes (last blocks, filter, index and sync) while the next segment is filled.
private final class SegmentFinisher: Sendable {
    private enum State {
        case running
        case finished(SegmentMetadata)
        case failed(StorageError)
    }

    /// No other thread uses the writer from here on.
    @safe
    private struct Handover: @unchecked Sendable {
        let writer: SegmentWriter
    }

    private let handover: Handover
    private let state: Locked<State>
    private let thread: WorkerThread?

    /// Starts to finish `writer`. If the system can't start a thread, this call finishes it.
    init(_ writer: SegmentWriter, createdMilliseconds: Int64) {
        let handover = Handover(writer: writer)
        let state = Locked(State.running)
        let finish: @Sendable () -> Void = {
            let end: State
            do throws(StorageError) {
                end = .finished(try handover.writer.finish(createdMilliseconds: createdMilliseconds))
            } catch {
                end = .failed(error)
            }
            state.withLock { $0 = end }
        }
        self.handover = handover
        self.state = state
        do throws(IOFailure) {
            thread = try WorkerThread.start(name: "shale-segment", finish)
        } catch {
            thread = nil
            finish()
        }
    }

    /// Waits until the segment's content is durable.
    func wait() throws(StorageError) -> SegmentMetadata {
        thread?.join()
        switch state.withLock({ $0 }) {
        case .finished(let metadata): return metadata
        case .failed(let error): throw error
        case .running: throw .invalid("a segment's thread has ended without a result")
        }
    }

    /// Waits, and removes the file of a segment that failed. Finished segments are removed by name.
    func abandon() {
        thread?.join()
        if case .failed = state.withLock({ $0 }) { handover.writer.abandon() }
    }
}
