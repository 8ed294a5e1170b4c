import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleValues

/// The file of one value that is written in pieces. Used by one thread at a time.
final class ValueStream {
    /// The size of the buffer of a value writer: whole chunks.
    static let bufferBytes = 1 << 20

    private let file: ValueFileWriter
    private let directory: any Directory
    private var value: GrowingValue
    /// The reference to the value, once it is whole and durable.
    private(set) var reference: ValueReference?

    init(_ number: UInt64, in directory: any Directory) throws(IOFailure) {
        self.directory = directory
        file = try ValueFileWriter(directory: directory, number: number)
        value = GrowingValue(in: file)
    }

    /// Appends whole chunks, or the last piece of the value.
    func append(_ piece: Bytes) throws(StorageError) {
        do throws(IOFailure) { try value.append(piece) } catch { throw error.storageError }
    }

    /// Completes the value, and makes it and the file's name durable.
    func finish() throws(StorageError) -> ValueReference {
        if let reference { return reference }
        do throws(IOFailure) {
            let finished = try value.finish()
            if !PlantedBug.isActive(.skipStreamSync) { try file.sync() }
            try file.close()
            reference = finished
            return finished
        } catch {
            throw error.storageError
        }
    }

    func remove() throws(IOFailure) { try directory.removeInSteps(file.name) }
}

extension EngineCore {
    /// Creates the file of a value. Its number is new, so no other writer waits for it.
    func beginValueStream() throws(StorageError) -> ValueStream {
        try committer.requireOwnProcess()
        do throws(IOFailure) {
            // Another process that has taken the store may allocate the same number.
            if !PlantedBug.isActive(.trustLostLock) { try lock?.verify() }
            return try ValueStream(fileNumbers.allocate(), in: directories.segments)
        } catch {
            throw error.storageError
        }
    }

    /// Commits a batch with a reference to a streamed value.
    func commitStreamed(
        _ encoder: inout BatchEncoder, _ values: LargeValues, _ durability: Durability,
        check: (() throws(StorageError) -> Void)?
    ) throws(StorageError) {
        // If the present log may have no references, `makeRoom` begins the next one.
        spareLog?.allowReferences()
        try commit(&encoder, values, durability, check: check)
    }
}

/// The value writers of an engine that have not ended. Thread-safe.
///
/// Closing the engine ends them before it releases the store's lock: a file that was begun later could have the number
/// of a file of the next owner.
final class OpenValueWriters: Sendable {
    private struct Reference {
        weak var writer: Engine.ValueWriter?
    }

    private struct State {
        var isClosed = false
        var writers: [ObjectIdentifier: Reference] = [:]
    }

    private let state = Locked(State())

    func add(_ writer: Engine.ValueWriter) throws(StorageError) {
        try state.withLock { (state) throws(StorageError) in
            guard !state.isClosed else { throw EngineCore.closedError }
            state.writers[ObjectIdentifier(writer)] = Reference(writer: writer)
        }
    }

    func remove(_ writer: Engine.ValueWriter) {
        state.withLock { _ = $0.writers.removeValue(forKey: ObjectIdentifier(writer)) }
    }

    /// Ends all writers, and refuses later ones.
    func close() {
        let open = state.withLock { state in
            state.isClosed = true
            defer { state.writers = [:] }
            return state.writers.values.compactMap(\.writer)
        }
        for writer in open { writer.end(EngineCore.closedError) }
    }
}
