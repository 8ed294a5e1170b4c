public import ShaleBase

/// The progress of a long operation.
public struct MaintenanceProgress: Sendable, Hashable {
    /// The number of bytes processed so far.
    public let bytes: UInt64
    /// The number of bytes to process at most; 0 if unknown.
    public let totalBytes: UInt64

    /// The fraction of the work that is done; `nil` if the total is unknown.
    public var fraction: Double? { totalBytes == 0 ? nil : min(1, Double(bytes) / Double(totalBytes)) }

    public init(bytes: UInt64, totalBytes: UInt64) {
        self.bytes = bytes
        self.totalBytes = totalBytes
    }

    /// A function that is called about every MiB. An error that it throws ends the operation.
    public typealias Handler = (MaintenanceProgress) throws(StorageError) -> Void
}
