import ShaleBase

/// Adds up the bytes that several parts of an operation process, and reports them about every MiB. Used by one thread.
final class ByteProgress {
    private let totalBytes: UInt64
    private let handler: MaintenanceProgress.Handler
    private(set) var bytes: UInt64 = 0
    private var told: UInt64 = 0

    init(_ totalBytes: UInt64, _ handler: @escaping MaintenanceProgress.Handler) {
        self.totalBytes = totalBytes
        self.handler = handler
    }

    func add(_ count: UInt64) throws(StorageError) {
        bytes += count
        guard bytes - told >= 1 << 20 else { return }
        told = bytes
        try handler(MaintenanceProgress(bytes: bytes, totalBytes: totalBytes))
    }
}
