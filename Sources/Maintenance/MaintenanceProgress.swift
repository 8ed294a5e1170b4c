public import ShaleBase

/// How far a long piece of work has come.
public struct MaintenanceProgress: Sendable, Hashable {
    /// Bytes dealt with so far, and how many there are at most; 0 when nobody knows.
    public let bytes: UInt64
    public let totalBytes: UInt64

    /// `nil` when the whole is not known.
    public var fraction: Double? { totalBytes == 0 ? nil : min(1, Double(bytes) / Double(totalBytes)) }

    public init(bytes: UInt64, totalBytes: UInt64) {
        self.bytes = bytes
        self.totalBytes = totalBytes
    }

    /// Called about every MiB; what it throws ends the work.
    public typealias Handler = (MaintenanceProgress) throws(StorageError) -> Void
}
