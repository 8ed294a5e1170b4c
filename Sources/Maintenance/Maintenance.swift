public import ShaleBase

/// Operations on a whole store, for programs and the `shale` command: verification, repair, dumps, copies, backups.
///
/// The functions may be called from any thread. They take the path of a store's directory, except
/// ``backUp(_:to:options:progress:)``, which takes an open engine, and the dumps and loads of namespaces, which take
/// namespaces of an open store. Verifying, dumping and copying also work while the store is open; repairing then throws
/// `.locked`.
public enum Maintenance {}

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

/// Adds up the bytes that several parts of an operation process, and reports them about every MiB. Used by one thread.
final class ByteProgress {
    private let totalBytes: UInt64
    private let handler: MaintenanceProgress.Handler
    private(set) var bytes: UInt64 = 0
    private var reportedBytes: UInt64 = 0

    init(_ totalBytes: UInt64, _ handler: @escaping MaintenanceProgress.Handler) {
        self.totalBytes = totalBytes
        self.handler = handler
    }

    func add(_ count: UInt64) throws(StorageError) {
        bytes += count
        guard bytes - reportedBytes >= 1 << 20 else { return }
        reportedBytes = bytes
        try handler(MaintenanceProgress(bytes: bytes, totalBytes: totalBytes))
    }
}
