import ShaleBase
import ShaleManifest
import ShalePlatform

/// Disk space that is kept for a full disk. Releasing it lets purging, dropping and closing write their manifest edits.
///
/// The reserve is a preallocated file. It is removed when an edit is due and the file system has less free space than
/// the reserve's size. It is created again when enough space is free. A missing reserve is never an error.
final class SpaceReserve: @unchecked Sendable {
    private static let bytes: UInt64 = 1 << 20
    /// The free space that is required to create the reserve. Small disks need the reserve most. On a disk with less
    /// free space, the 64 KiB that the manifest keeps ahead of its end have to suffice.
    private static let refillFreeBytesMin: UInt64 = 8 << 20

    /// The pause before a reserve is created again that was released against the reported free space, or that found no
    /// space. The edit that it was released for must find the space first.
    private static let pauseNanoseconds: UInt64 = 10_000_000_000

    private let directory: any Directory
    private let lock = Lock()
    private var exists: Bool
    /// True if the next ``refill(at:)`` has to begin a pause.
    private var needsPause = false
    private var nextRefill: UInt64 = 0

    init(directory: any Directory) throws(IOFailure) {
        self.directory = directory
        exists = try directory.exists(StoreLayout.reserve)
    }

    /// Releases the reserve if the disk is full.
    func releaseIfNeeded() throws(IOFailure) {
        lock.lock()
        defer { lock.unlock() }
        guard exists, !PlantedBug.isActive(.keepReserve), try directory.freeBytes() < SpaceReserve.bytes else { return }
        _ = try remove()
    }

    /// Releases the reserve without checking the free space, which ignores quotas. Returns false if there is none.
    func release() throws(IOFailure) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard exists, !PlantedBug.isActive(.keepReserve) else { return false }
        needsPause = true
        return try remove()
    }

    /// Removes the file. Returns false if the name is that of a directory, which is not the engine's and frees nothing.
    /// Under `lock`.
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

    /// Creates the reserve if it is missing and enough space is free. A lack of space is not an error, and begins a
    /// pause.
    ///
    /// - Parameter now: The monotonic time in nanoseconds.
    func refill(at now: UInt64) throws(IOFailure) {
        lock.lock()
        defer { lock.unlock() }
        if needsPause {
            needsPause = false
            nextRefill = now + SpaceReserve.pauseNanoseconds
        }
        guard !exists, now >= nextRefill, try directory.freeBytes() >= SpaceReserve.refillFreeBytesMin,
            try !directory.exists(StoreLayout.reserve)
        else { return }
        do throws(IOFailure) {
            try create()
            exists = true
        } catch {
            guard error.isOutOfSpace else { throw error }
            nextRefill = now + SpaceReserve.pauseNanoseconds
        }
    }

    /// Creates the file, or leaves nothing. Reserving the space that has to be free shows what a quota leaves.
    private func create() throws(IOFailure) {
        let file = try directory.create(StoreLayout.reserve)
        do throws(IOFailure) {
            try file.preallocate(SpaceReserve.refillFreeBytesMin)
            if file.keepsReservations { try file.truncate(to: SpaceReserve.bytes) } else { try fill(file) }
            try file.close()
        } catch {
            try directory.remove(StoreLayout.reserve)
            throw error
        }
    }

    /// Allocates the space by writing zeros, for a file system that can't reserve it.
    private func fill(_ file: any WritableFile) throws(IOFailure) {
        let zeros = OwnedBytes(count: 64 << 10)
        zeros.mutable.zero(0, zeros.bytes.count)
        defer { withExtendedLifetime(zeros) {} }
        for offset in stride(from: 0, to: SpaceReserve.bytes, by: zeros.bytes.count) {
            try file.write(zeros.bytes, at: offset)
        }
    }
}
