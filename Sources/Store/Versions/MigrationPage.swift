import ShaleBase
import ShaleEngine

/// An entry as a pass found it. Its value may be encrypted.
struct MigrationEntry {
    let key: [UInt8]
    let value: [UInt8]
    let info: EntryInfo
}

/// Consecutive entries of a range, read as of one moment.
struct MigrationPage {
    static let entriesMax = 256
    static let bytesMax = 64 << 10
    /// The errors that concern one value. A pass counts them and continues.
    static let errorsOfValues: Set<StorageError.Code> = [
        .corruption, .newerFormat, .typeMismatch, .codecFailure, .cipherMismatch, .authenticationFailed,
    ]

    /// The entries that may have an earlier version.
    private(set) var entries: [MigrationEntry] = []
    private(set) var examined = 0
    private(set) var lastKey: [UInt8] = []
    /// True if the range has no entries behind this page.
    private(set) var isLast = false

    /// Reads the first page of a range. The cursor ends with it, so that a long pass does not retain old versions.
    init(_ range: KeyRange, in id: NamespaceID, _ engine: Engine, current: Int) throws(StorageError) {
        var cursor = try engine.cursor(over: range, in: id)
        var bytes = 0
        while try cursor.next() {
            examined += 1
            if !MigrationPage.isCurrent(cursor.value, current) {
                let entry = MigrationEntry(
                    key: [UInt8](copying: cursor.key), value: [UInt8](copying: cursor.value), info: cursor.info)
                bytes += entry.key.count + entry.value.count
                entries.append(entry)
            }
            guard examined < MigrationPage.entriesMax, bytes < MigrationPage.bytesMax else {
                lastKey = [UInt8](copying: cursor.key)
                return
            }
        }
        isLast = true
    }

    /// True if a value is not encrypted and has the current version. An error counts as false: the migration of the
    /// entry meets it again and reports it.
    private static func isCurrent(_ value: RawSpan, _ current: Int) -> Bool {
        unsafe value.withUnsafeBytes { buffer in
            let value = unsafe Bytes(buffer)
            guard Envelope.isPlain(value), let envelope = try? Envelope(value),
                let payload = try? VersionedPayload(envelope.payload, envelope.codec)
            else { return false }
            return payload.version == current
        }
    }
}
