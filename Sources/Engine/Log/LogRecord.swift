package import ShaleBase

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

    package init(offset: UInt64, tornBytes: UInt64, lastSyncedOffset: UInt64) {
        self.offset = offset
        self.tornBytes = tornBytes
        self.lastSyncedOffset = lastSyncedOffset
    }

    /// True if a record was being written when the log ended. False if the log ends in zeros or with its file.
    package var wasTorn: Bool { tornBytes > 0 }
}
