import ShaleBase
import ShaleMemtable
import ShalePlatform
import ShaleValues

/// The value files to which the entries of one memtable refer. Thread-safe.
///
/// The memtable holds this object, and so the objects of the files.
final class MemtableFiles: Sendable {
    private struct Files {
        var own: ValueFile?
        var streams: [UInt64: (file: ValueFile, bytes: UInt64)] = [:]
    }

    private let files = Locked(Files())

    /// The value file of the memtable's log; `nil` if the log has none.
    var own: ValueFile? { files.withLock { $0.own } }

    func setOwn(_ file: ValueFile) { files.withLock { $0.own = file } }

    /// Adds the file of a streamed value. It ends with the value.
    func add(_ reference: ValueReference, in file: ValueFile) {
        files.withLock { $0.streams[reference.file] = (file, reference.end) }
    }

    /// The sizes of the files of streamed values, by number.
    var streamBytes: [UInt64: UInt64] { files.withLock { $0.streams.mapValues(\.bytes) } }
}

extension Memtable {
    /// The value files to which entries refer; `nil` if there are none.
    var valueFiles: MemtableFiles? { companion as? MemtableFiles }

    /// Returns the value files to which entries refer, for additions. Called by the one writer.
    func valueFilesForAdding() -> MemtableFiles {
        if let files = valueFiles { return files }
        let files = MemtableFiles()
        companion = files
        return files
    }
}
