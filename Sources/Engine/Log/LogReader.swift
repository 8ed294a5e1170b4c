package import ShaleBase
package import ShalePlatform

/// Reads a log from its start and decides how it ended.
///
/// Reading stops at the first invalid chunk. It may be a tail that was being written at a power failure, or damage to
/// durable content. Only the rest of the file can distinguish the two:
///
/// 1. If a later chunk records that the log was synced past the invalid chunk, the reader throws `.corruption`.
/// 2. Otherwise the log ends there (``LogEnd``), which is not an error.
///
/// It takes the memory of one window of at most 1 MiB, and of the longest record that spans chunks
/// (``LogFormat/recordMax``). It makes one pass over the file, and a second one over the part after the stop. One
/// thread at a time. After an error every further call throws the same error.
@safe
package final class LogReader {
    /// The header; nil only if the log may lack one and does.
    package let header: LogHeader?
    /// Set once ``next()`` has returned nil.
    package private(set) var end: LogEnd?

    private let path: String
    private let number: UInt64
    private let recordMax: Int
    private let window: LogWindow
    /// The offset at which the next chunk is expected.
    private var position: UInt64
    private var endOffset: UInt64
    private var lastSyncedOffset: UInt64 = 0
    /// The end of the last mark.
    private var markEnd: UInt64 = 0
    private var assembled = ByteBuffer()
    private var failure: StorageError?
    /// True if another process may be appending: an invalid chunk may be one that is half written.
    private let isFollowing: Bool

    /// Opens log `number` of `kind` in `file` and checks its header. `path` names the log in errors.
    ///
    /// - Parameter mayLackHeader: Permits a log that was created just before a power failure, with a header that was
    ///   never synced. If the header is invalid and no chunk records that it was ever durable, the log is empty and
    ///   `header` is nil. A valid header of another log is damage, because files were exchanged.
    package init(
        file: any ReadableFile, path: String, number: UInt64, kind: LogKind, mayLackHeader: Bool = false,
        recordMax: Int = LogFormat.recordMax
    ) throws(StorageError) {
        self.path = path
        self.number = number
        self.recordMax = recordMax
        isFollowing = false
        position = UInt64(LogFormat.headerSize)
        endOffset = UInt64(LogFormat.headerSize)
        window = try LogWindow(file, path: path)
        try window.load(0)
        let headerBytes = window.bytes.slice(0, min(LogFormat.headerSize, window.bytes.count))
        if mayLackHeader, !LogHeader.holds(headerBytes, number: number), !LogHeader.holdsElsewhere(headerBytes) {
            header = nil
            position = 0
            endOffset = 0
            try finish(damage: "the log header is damaged", isInsideRecord: false)
        } else {
            header = try LogHeader.decode(headerBytes, number: number, kind: kind, path: path)
        }
    }

    /// Continues to read a log to which another process may be appending. The first invalid chunk is taken for the end,
    /// because it may be half written; what follows it is not read.
    ///
    /// - Parameters:
    ///   - header: The log's header, which was read before.
    ///   - offset: The end of what was read before: the end of the header, or of a record.
    init(
        following file: any ReadableFile, path: String, header: LogHeader, from offset: UInt64
    ) throws(StorageError) {
        self.path = path
        self.header = header
        number = header.number
        recordMax = LogFormat.recordMax
        isFollowing = true
        position = offset
        endOffset = offset
        window = try LogWindow(file, path: path, bytesMax: LogWindow.followingBytes)
    }

    /// Returns the next record, or nil at the log's end. The record's bytes are valid until the next call.
    package func next() throws(StorageError) -> LogRecord? {
        if let failure { throw failure }
        guard end == nil else { return nil }
        do {
            return try advance()
        } catch {
            failure = error
            throw error
        }
    }

    /// The end of the last record or mark that was read.
    var consumed: UInt64 { endOffset }

    /// True if the last whole chunk is a mark, which records that everything before it is durable.
    package var endsWithMark: Bool { markEnd == endOffset }

    /// Passes every remaining record to `body` and returns how the log ended.
    package func forEach(_ body: (LogRecord) throws(StorageError) -> Void) throws(StorageError) -> LogEnd {
        while let record = try next() { try body(record) }
        return end ?? LogEnd(offset: endOffset, tornBytes: 0, lastSyncedOffset: lastSyncedOffset)
    }

    private func advance() throws(StorageError) -> LogRecord? {
        var recordOffset = position
        var isInsideRecord = false
        while true {
            position = LogFormat.chunkOffset(after: position)
            if !window.contains(position) { try window.load(position) }
            let bytes = window.bytes
            let index = window.index(of: position)
            guard index < bytes.count, let chunk = LogChunk.read(bytes, at: index, number: number, offset: position)
            else {
                try stop(isInsideRecord: isInsideRecord)
                return nil
            }
            let payload = bytes.slice(index &+ chunk.headerCount, chunk.payloadCount)
            switch (chunk.type, isInsideRecord) {
            case (.full, false), (.single, false):
                if chunk.type == .single, header?.kind != .wal { throw impossible() }
                let record = LogRecord(offset: position, payload: payload, isSingle: chunk.type == .single)
                pass(chunk, endsRecord: true)
                return record
            case (.mark, false):
                pass(chunk, endsRecord: true)
                markEnd = endOffset
            case (.first, false):
                recordOffset = position
                isInsideRecord = true
                assembled.removeAll()
                try assemble(payload, of: recordOffset)
                pass(chunk, endsRecord: false)
            case (.middle, true):
                try assemble(payload, of: recordOffset)
                pass(chunk, endsRecord: false)
            case (.last, true):
                try assemble(payload, of: recordOffset)
                pass(chunk, endsRecord: true)
                return LogRecord(offset: recordOffset, payload: assembled.bytes, isSingle: false)
            default:
                try finish(damage: "chunk type out of order", isInsideRecord: isInsideRecord)
                return nil
            }
        }
    }

    @inline(__always)
    private func pass(_ chunk: LogChunk, endsRecord: Bool) {
        lastSyncedOffset = max(lastSyncedOffset, chunk.syncedOffset)
        position &+= UInt64(truncatingIfNeeded: chunk.byteCount)
        if endsRecord { endOffset = position }
    }

    private func assemble(_ payload: Bytes, of recordOffset: UInt64) throws(StorageError) {
        guard assembled.count + payload.count <= recordMax else {
            throw .corruption(
                "a log record is longer than limit=\(recordMax)", file: path, offset: recordOffset)
        }
        assembled.append(payload)
    }

    // MARK: - The end

    /// Ends at an invalid chunk. If its checksum is valid, the chunk was not torn: its fields are unknown to this
    /// format.
    private func stop(isInsideRecord: Bool) throws(StorageError) {
        let bytes = window.bytes
        let index = window.index(of: position)
        guard index < bytes.count else {
            return try finish(damage: "the file ends", isInsideRecord: isInsideRecord)
        }
        guard !LogChunk.checksumHolds(bytes, at: index, number: number, offset: position) else {
            throw impossible()
        }
        let damage = LogChunk.damage(bytes, at: index, offset: position)
        try finish(damage: damage, isInsideRecord: isInsideRecord)
    }

    private func impossible() -> StorageError {
        .corruption("a log chunk has a valid checksum but impossible fields", file: path, offset: position)
    }

    /// Decides about the invalid chunk at `position`: corruption if a later chunk records a sync past it, otherwise the
    /// end.
    private func finish(damage: String, isInsideRecord: Bool) throws(StorageError) {
        if isFollowing {
            end = LogEnd(offset: endOffset, tornBytes: 0, lastSyncedOffset: lastSyncedOffset)
            return
        }
        let tail = try LogTail.scan(window, number: number, badOffset: position)
        if let witness = tail.witness {
            throw .corruption(
                "\(damage), but the log was synced beyond it synced=\(witness.syncedOffset) chunk=\(witness.offset)",
                file: path, offset: position)
        }
        // Inside a record, at least the chunks read so far are dropped, even if only zeros follow them.
        let givenUpEnd = max(tail.contentEnd ?? endOffset, isInsideRecord ? position : endOffset)
        end = LogEnd(offset: endOffset, tornBytes: givenUpEnd - endOffset, lastSyncedOffset: lastSyncedOffset)
    }
}

/// A record in the reader's memory.
package struct LogRecord {
    /// The file offset of the record's first chunk. Errors about its content name it.
    package let offset: UInt64
    /// Contiguous. Valid until the reader's next call; the reader owns the memory.
    package let payload: Bytes
    /// True if the record was reserved with ``LogWriter/reserveSingle(_:_:)``. The log does not interpret its content.
    package let isSingle: Bool
}

/// The position and the state of a log's end, known after the reader has returned nil.
package struct LogEnd: Equatable, Sendable {
    /// The end of the last whole record or mark: the ``LogWriter/endOffset`` after it was appended. 0 if not even the
    /// file's header reached the disk.
    package let offset: UInt64
    /// The number of bytes dropped after `offset`, without zeros at the end of the file.
    package let tornBytes: UInt64
    /// The largest synced offset in any chunk; never above `offset`.
    package let lastSyncedOffset: UInt64

    /// The end of all content. Only zeros follow it.
    package var contentEnd: UInt64 { offset + tornBytes }

    package init(offset: UInt64, tornBytes: UInt64, lastSyncedOffset: UInt64) {
        self.offset = offset
        self.tornBytes = tornBytes
        self.lastSyncedOffset = lastSyncedOffset
    }

    /// True if a record was being written when the log ended. False if the log ends in zeros or with its file.
    package var wasTorn: Bool { tornBytes > 0 }
}
