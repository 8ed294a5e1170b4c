package import ShaleBase

/// The predecessor of a log. Each log names its predecessor, so that recovery notices one that is missing or shorter
/// than at the switch to this log.
package struct LogPredecessor: Equatable, Sendable {
    /// 0 if there is no predecessor.
    package let number: UInt64
    /// The logical size (``LogWriter/endOffset``) at the switch to this log.
    package let size: UInt64
    /// The last sequence assigned before this log's first record.
    package let lastSequence: UInt64

    package init(number: UInt64, size: UInt64, lastSequence: UInt64) {
        self.number = number
        self.size = size
        self.lastSequence = lastSequence
    }

    package static let none = LogPredecessor(number: 0, size: 0, lastSequence: 0)
}

/// The first 64 bytes of a log.
package struct LogHeader: Equatable, Sendable {
    package let kind: LogKind
    package let number: UInt64
    package let previous: LogPredecessor
    /// True if records may refer to the value file with the log's number. Versions without value files refuse the log.
    package let hasValues: Bool

    package init(kind: LogKind, number: UInt64, previous: LogPredecessor, hasValues: Bool = false) {
        self.kind = kind
        self.number = number
        self.previous = previous
        self.hasValues = hasValues
    }

    /// The required feature of a log with a value file.
    private static let valuesFeature: UInt64 = 1

    /// On disk, do not change.
    private enum Field {
        static let magic = 0
        static let version = 8
        static let kind = 12
        static let number = 16
        static let previousNumber = 24
        static let previousSize = 32
        static let lastSequence = 40
        static let requiredFeatures = 48
        static let checksum = 56
    }

    package func encode(into target: MutableBytes) {
        target.zero(0, LogFormat.headerSize)
        target.store(LogFormat.magic, at: Field.magic)
        target.store(LogFormat.version, at: Field.version)
        target.store(kind.rawValue, at: Field.kind)
        target.store(number, at: Field.number)
        target.store(previous.number, at: Field.previousNumber)
        target.store(previous.size, at: Field.previousSize)
        target.store(previous.lastSequence, at: Field.lastSequence)
        if hasValues { target.store(LogHeader.valuesFeature, at: Field.requiredFeatures) }
        target.store(LogHeader.checksum(target.bytes, number: number), at: Field.checksum)
    }

    /// Decodes and checks the header of log `number`. `path` names the log in errors.
    ///
    /// - Throws: `.newerFormat` for an unknown version or required feature, `.corruption` for any other difference from
    ///   what was written.
    package static func decode(
        _ bytes: Bytes, number: UInt64, kind: LogKind, path: String
    ) throws(StorageError) -> LogHeader {
        func corruption(_ what: String, _ field: Int) -> StorageError {
            .corruption("log header: \(what)", file: path, offset: UInt64(field))
        }
        guard bytes.count >= LogFormat.headerSize else {
            throw corruption("the file is cut short length=\(bytes.count)", bytes.count)
        }
        guard bytes.u64(at: Field.magic) == LogFormat.magic else { throw corruption("not a log", Field.magic) }
        // Before the checksum, which a newer format may place or compute in another way.
        guard !claimsNewerVersion(bytes) else {
            throw StorageError(
                .newerFormat, "the log has an unknown format version=\(bytes.u32(at: Field.version))", file: path,
                offset: UInt64(Field.version))
        }
        let storedNumber = bytes.u64(at: Field.number)
        guard storedNumber == number else {
            throw corruption("belongs to another log number=\(storedNumber) expected=\(number)", Field.number)
        }
        guard holds(bytes, number: number) else { throw corruption("checksum mismatch", Field.checksum) }
        guard bytes.u32(at: Field.version) == LogFormat.version else { throw corruption("version 0", Field.version) }
        let features = bytes.u64(at: Field.requiredFeatures)
        guard features == 0 || kind == .wal && features == valuesFeature else {
            throw StorageError(
                .newerFormat, "the log requires unknown features=\(features)", file: path,
                offset: UInt64(Field.requiredFeatures))
        }
        guard bytes.u32(at: Field.kind) == UInt32(kind.rawValue) else { throw corruption("wrong kind", Field.kind) }
        let previous = LogPredecessor(
            number: bytes.u64(at: Field.previousNumber), size: bytes.u64(at: Field.previousSize),
            lastSequence: bytes.u64(at: Field.lastSequence))
        return LogHeader(kind: kind, number: number, previous: previous, hasValues: features == valuesFeature)
    }

    /// True if these bytes are a valid header of log `number`, of any version. If not, the header never reached the
    /// disk or was damaged there; the rest of the file decides which.
    static func holds(_ bytes: Bytes, number: UInt64) -> Bool {
        guard bytes.count >= LogFormat.headerSize, bytes.u64(at: Field.magic) == LogFormat.magic else { return false }
        return claimsNewerVersion(bytes) || bytes.u64(at: Field.checksum) == checksum(bytes, number: number)
    }

    /// True if these bytes are a valid header of the log that they name.
    ///
    /// No crash leaves such a header in the place of another log's: reserved blocks read as zeros until they are
    /// written. If the file system can't reserve space, a block may show old content after a power loss. Refusing that
    /// is the safe answer.
    static func holdsElsewhere(_ bytes: Bytes) -> Bool {
        bytes.count >= LogFormat.headerSize && holds(bytes, number: bytes.u64(at: Field.number))
    }

    private static func claimsNewerVersion(_ bytes: Bytes) -> Bool {
        bytes.u32(at: Field.version) > LogFormat.version
    }

    private static func checksum(_ bytes: Bytes, number: UInt64) -> UInt64 {
        Checksum.of(bytes.slice(0, Field.checksum), file: number, offset: 0)
    }
}
