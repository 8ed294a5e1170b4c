#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
