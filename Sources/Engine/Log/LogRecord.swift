package import ShaleBase

/// A record as the reader lends it.
package struct LogRecord {
    /// File offset of the record's first chunk: what errors about its content name.
    package let offset: UInt64
    /// Contiguous. Valid until the reader's next call; the reader owns the memory.
    package let payload: Bytes
    /// Whether it was reserved with ``LogWriter/reserveSingle(_:)``: what its content is, is the writer's business.
    package let isSingle: Bool
}

/// Where and how a log ended, known once the reader has returned nil.
package struct LogEnd: Equatable, Sendable {
    /// The end of the last whole record or mark: what ``LogWriter/endOffset`` was when it had been appended. 0 when not
    /// even the file's header reached the disk.
    package let offset: UInt64
    /// Bytes that were given up behind `offset`, zeros at the end of the file not counted.
    package let tornBytes: UInt64
    /// The highest synced offset that any chunk named; never above `offset`.
    package let lastSyncedOffset: UInt64

    package init(offset: UInt64, tornBytes: UInt64, lastSyncedOffset: UInt64) {
        self.offset = offset
        self.tornBytes = tornBytes
        self.lastSyncedOffset = lastSyncedOffset
    }

    /// Something was being written when the log ended. False for a log that just stops, in zeros or with its file.
    package var wasTorn: Bool { tornBytes > 0 }
}
