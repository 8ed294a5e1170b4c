import Posix
import ShaleEngine
import ShaleMaintenance

/// Dumps in files.
enum DumpFile {
    private static let pieceBytes = 256 << 10

    static func dump(storeAt store: String, to path: String) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemCallError("open", path) }
        defer { close(descriptor) }
        var isWhole = true
        try Maintenance.dump(storeAt: store) { piece in
            unsafe piece.withUnsafeBytes { bytes in
                if unsafe write(descriptor, bytes.baseAddress, bytes.count) != bytes.count { isWhole = false }
            }
        }
        guard isWhole else { throw SystemCallError("write", path) }
        // Synced now: otherwise the file is written back during the load, and competes with the load's writes.
        guard fsync(descriptor) == 0 else { throw SystemCallError("fsync", path) }
    }

    /// Loads a dump. Returns the number of entries.
    static func load(into store: String, from path: String) throws -> UInt64 {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemCallError("open", path) }
        defer { close(descriptor) }
        return try Maintenance.load(into: store) {
            unsafe [UInt8](unsafeUninitializedCapacity: DumpFile.pieceBytes) { buffer, count in
                count = unsafe max(0, read(descriptor, buffer.baseAddress, buffer.count))
            }
        }
    }
}
