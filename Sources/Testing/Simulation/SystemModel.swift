package import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The behaviour of a kernel and a file system where systems differ.
///
/// The engine must be correct on all of them, also if ``isSafeWithThreads`` is false.
package struct SystemModel: Sendable, Equatable, CustomStringConvertible {
    /// The behaviour of `preallocate`.
    package enum Reservation: String, CaseIterable, Sendable {
        /// It reserves everything, or fails and changes nothing.
        case kept
        /// It succeeds and does nothing, because the file system has no such call.
        case unsupported
        /// If the space does not suffice, it reserves and extends as far as possible, then fails, as ext4 does.
        case partial
        /// The C library's emulation: it writes a zero into every block beyond the size at the beginning of the call.
        /// It overwrites bytes that other threads write there meanwhile.
        case zeroBytes
        /// Darwin's two calls: it sets the size after reserving the space. A file that has grown further meanwhile is
        /// cut.
        case sizeLast
    }

    package var reservation = Reservation.kept
    /// True if a directory opened by path has a durable name even if it was just created.
    ///
    /// Otherwise creating it and syncing its parent are two calls, and a crash between them may leave it with an
    /// unsynced name.
    package var makesDurableRoots = true
    /// True if files can be mapped.
    package var mapsFiles = true

    package init() {}

    /// The benign model: the default of tests.
    package static let kind = SystemModel()

    /// Draws any model that the contract of `FileSystem` allows.
    ///
    /// `withThreads` excludes none: `preallocate` may then overlap with writes.
    package static func drawn(_ random: SeededRandom, withThreads: Bool) -> SystemModel {
        var model = SystemModel()
        model.reservation = Reservation.allCases[random.below(Reservation.allCases.count)]
        model.mapsFiles = random.chance(0.5)
        model.makesDurableRoots = random.chance(0.5)
        return model
    }

    /// False if `preallocate` may destroy what another thread writes meanwhile.
    package var isSafeWithThreads: Bool { reservation != .zeroBytes && reservation != .sizeLast }

    package var description: String {
        "reservation \(reservation)\(makesDurableRoots ? "" : ", roots synced")\(mapsFiles ? ", mapped" : "")"
    }
}

/// The limits for the space of all files. Reserved space counts as used.
struct SpaceLimits {
    /// The space left, and the error for a write beyond it.
    struct Room {
        let room: Int
        let refusal: Int32
    }

    /// The size of the disk in bytes.
    var disk: Int
    /// The user's quota in bytes, which `freeBytes` ignores.
    var user: Int?

    func room(used: Int) -> Room {
        let onDisk = max(0, disk - used)
        guard let user, max(0, user - used) < onDisk else { return Room(room: onDisk, refusal: ENOSPC) }
        return Room(room: max(0, user - used), refusal: EDQUOT)
    }

    init(disk: Int) { self.disk = disk }
}
