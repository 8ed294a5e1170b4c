package import ShaleBase
package import ShalePlatform

/// Reads a log from its start and decides how it ended.
///
/// Reading stops at the first chunk that does not hold. Nothing but the rest of the file can tell a tail that was being
/// written when power failed from damage to what was durable: if a chunk behind the bad one says that the log had been
/// synced past it, the reader throws `.corruption`; otherwise the log ends there (``LogEnd``), which is not an error.
///
/// Memory: one window of at most 1 MiB, and the longest record that spans chunks (``LogFormat/recordMax``). Cost: one
/// pass over the file, a second one over what lies behind the stop. One thread at a time. After an error every further
/// call throws it again.
@safe
package final class LogReader {
    /// The header; nil only for a log that was allowed to lack one, and does.
    package let header: LogHeader?
    /// Set once ``next()`` has returned nil.
    package private(set) var end: LogEnd?

    private let path: String
    private let number: UInt64
    private let recordMax: Int
    private let window: LogWindow
    /// Where the next chunk is expected.
    private var position: UInt64
    private var endOffset: UInt64
    private var lastSyncedOffset: UInt64 = 0
    /// Behind the last mark.
    private var markEnd: UInt64 = 0
    private var assembled = ByteBuffer()
    private var failure: StorageError?

    /// Opens log `number` of `kind` in `file`, which errors call `path`, and checks its header.
    ///
    /// `mayLackHeader` is for a log that may have been created just before a power failure, its header never synced:
    /// if then the header does not hold and no chunk says that it was ever durable, the log is empty and `header` nil. The
    /// whole header of another log is damage: files have changed places.
    package init(
        file: any ReadableFile, path: String, number: UInt64, kind: LogKind, mayLackHeader: Bool = false,
        recordMax: Int = LogFormat.recordMax
    ) throws(StorageError) {
        self.path = path
        self.number = number
        self.recordMax = recordMax
        position = UInt64(LogFormat.headerSize)
        endOffset = UInt64(LogFormat.headerSize)
        window = try LogWindow(file, path: path)
        try window.load(0)
        let headerBytes = window.bytes.slice(0, min(LogFormat.headerSize, window.bytes.count))
        if mayLackHeader, !LogHeader.holds(headerBytes, number: number), !LogHeader.holdsElsewhere(headerBytes) {
            header = nil
            position = 0
            endOffset = 0
            try finish(damage: "log header does not hold", isInsideRecord: false)
        } else {
            header = try LogHeader.decode(headerBytes, number: number, kind: kind, path: path)
        }
    }

    /// The next record, or nil at the log's end. The record's bytes are lent until the next call.
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

    /// True if the last whole chunk is a mark, which vouches for everything before it.
    package var endsWithMark: Bool { markEnd == endOffset }

    /// Hands every remaining record to `body` and returns how the log ended.
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
                "log record is longer than limit=\(recordMax)", file: path, offset: recordOffset)
        }
        assembled.append(payload)
    }

    // MARK: - The end

    /// Ends at a chunk that does not hold. If its checksum does, it was never torn: it says something that this format
    /// does not have.
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
        .corruption("log chunk is whole but its fields are impossible", file: path, offset: position)
    }

    /// Applies the rule for the bad place `position`: corruption if a later chunk vouches for it, else the end.
    private func finish(damage: String, isInsideRecord: Bool) throws(StorageError) {
        let tail = try LogTail.scan(window, number: number, badOffset: position)
        if let voucher = tail.voucher {
            throw .corruption(
                "\(damage), but the log was synced past it synced=\(voucher.syncedOffset) chunk=\(voucher.offset)",
                file: path, offset: position)
        }
        // Inside a record at least the chunks that were read are given up, even when only zeros follow them.
        let givenUpEnd = max(tail.contentEnd ?? endOffset, isInsideRecord ? position : endOffset)
        end = LogEnd(offset: endOffset, tornBytes: givenUpEnd - endOffset, lastSyncedOffset: lastSyncedOffset)
    }
}
