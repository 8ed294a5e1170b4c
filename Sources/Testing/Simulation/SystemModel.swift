package import ShalePlatform

/// How a kernel and a file system behave where systems differ. The engine has to hold on all of them, also where
/// ``isSafeWithThreads`` is false.
package struct SystemModel: Sendable, Equatable, CustomStringConvertible {
    /// What `preallocate` does.
    package enum Reservation: String, CaseIterable, Sendable {
        /// It reserves all, or fails and changes nothing.
        case kept
        /// It succeeds and does nothing, because the file system has no such call.
        case unsupported
        /// When not all fits, it reserves and extends as far as there is space, and then fails, as ext4 does.
        case partial
        /// The C library's emulation: it writes one zero into every block behind the size that the file had when the call
        /// began. Bytes that are written behind that size meanwhile are overwritten.
        case zeroBytes
        /// Darwin's two calls: it sets the size after the space is reserved. A file that has grown further meanwhile is cut.
        case sizeLast
    }

    package var reservation = Reservation.kept
    /// True if a directory opened by path has a durable name although it was just made. Otherwise making it and syncing
    /// its parent are two calls, and a crash in between may leave it with a name that nobody has synced.
    package var makesDurableRoots = true
    /// Whether files can be mapped.
    package var mapsFiles = true

    package init() {}

    /// What tests get that ask for nothing else.
    package static let kind = SystemModel()

    /// Any model that the contract of `FileSystem` allows. With threads, `preallocate` and writes meet.
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
