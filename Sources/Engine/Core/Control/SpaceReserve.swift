import ShaleBase
import ShaleManifest
import ShalePlatform

/// Disk space that is kept for the day when there is none: with it given up, purging, dropping and closing can still
/// write their manifest edits.
///
/// The reserve is a preallocated file. It goes when an edit is due and the file system has less than its size left, and
/// comes back when there is plenty again. Not having it is never an error.
final class SpaceReserve: @unchecked Sendable {
    private static let bytes: UInt64 = 1 << 20
    /// Free space from which the reserve is made, and made again. Small disks need it most; below this, the 64 KiB that
    /// the manifest keeps ahead of its end have to do.
    private static let comfortBytes: UInt64 = 8 << 20

    private let directory: any Directory
    private let lock = Lock()
    private var exists: Bool

    init(directory: any Directory) throws(IOFailure) {
        self.directory = directory
        exists = try directory.exists(StoreLayout.reserve)
    }

    /// Makes room for a manifest edit if the disk is full.
    func releaseIfNeeded() throws(IOFailure) {
        lock.lock()
        defer { lock.unlock() }
        guard exists, !PlantedBug.isActive(.keepReserve), try directory.freeBytes() < SpaceReserve.bytes else { return }
        _ = try remove()
    }

    /// Gives the reserve up whatever the file system says of its free space: it does not tell what a quota leaves. False if
    /// there is none.
    func release() throws(IOFailure) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard exists, !PlantedBug.isActive(.keepReserve) else { return false }
        return try remove()
    }

    /// Under `lock`. False if the name is that of a directory, which is not the engine's and frees nothing.
    private func remove() throws(IOFailure) -> Bool {
        exists = false
        do {
            try directory.remove(StoreLayout.reserve)
            return true
        } catch {
            guard error.isWrongKind else {
                exists = true
                throw error
            }
            return false
        }
    }

    /// Makes the reserve if it is missing and space is plenty.
    func refill() throws(IOFailure) {
        lock.lock()
        defer { lock.unlock() }
        guard !exists, try directory.freeBytes() >= SpaceReserve.comfortBytes else { return }
        guard try !directory.exists(StoreLayout.reserve) else { return }
        let file = try directory.create(StoreLayout.reserve)
        do throws(IOFailure) {
            try file.preallocate(SpaceReserve.bytes)
            if !file.keepsReservations { try fill(file) }
            try file.close()
            exists = true
        } catch {
            try directory.remove(StoreLayout.reserve)
            throw error
        }
    }

    /// Zeros take the space where it can't be reserved.
    private func fill(_ file: any WritableFile) throws(IOFailure) {
        let zeros = OwnedBytes(count: 64 << 10)
        zeros.mutable.zero(0, zeros.bytes.count)
        defer { withExtendedLifetime(zeros) {} }
        for offset in stride(from: 0, to: SpaceReserve.bytes, by: zeros.bytes.count) {
            try file.write(zeros.bytes, at: offset)
        }
    }
}
