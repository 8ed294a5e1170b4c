package import ShaleBase
package import ShaleLog
import ShaleSegment

/// Replays the records of a manifest. Its errors name the file and the record.
struct RecordReplay {
    private let name: String
    private var replay: StateReplay

    /// Begins after the records that led to `state`. `name` is that of the file.
    init(_ name: String, from state: StoreState, makeSegment: @escaping (SegmentMetadata) -> Segment) {
        self.name = name
        replay = StateReplay(from: state, makeSegment: makeSegment)
    }

    /// Applies the edit in a record, and returns it.
    @discardableResult
    mutating func apply(_ record: LogRecord) throws(StorageError) -> ManifestEdit {
        let edit = try ManifestEdit(record, name)
        do throws(ParseFailure) { try replay.apply(edit) } catch { throw contradiction(error, at: record.offset) }
        return edit
    }

    /// Returns the state after all records. An error names `offset`.
    mutating func finish(at offset: UInt64) throws(StorageError) -> StoreState {
        do throws(ParseFailure) { return try replay.finish() } catch { throw contradiction(error, at: offset) }
    }

    private func contradiction(_ failure: ParseFailure, at offset: UInt64) -> StorageError {
        .corruption("the manifest contradicts itself: \(failure.reason)", file: name, offset: offset)
    }
}

extension ManifestEdit {
    /// Decodes the edit in a record of the manifest `name`.
    package init(_ record: LogRecord, _ name: String) throws(StorageError) {
        do throws(StorageError) {
            try self.init(decoding: record.payload)
        } catch {
            throw error.inFile(name, at: record.offset)
        }
    }
}
