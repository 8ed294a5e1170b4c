#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What bounds the space of all files. Reserved space counts as used.
struct SpaceLimits {
    /// How much more fits, and the error of what does not.
    struct Room {
        let room: Int
        let refusal: Int32
    }

    /// The size of the disk.
    var disk: Int
    /// The user's quota. `freeBytes` does not know it.
    var user: Int?

    func room(used: Int) -> Room {
        let onDisk = max(0, disk - used)
        guard let user, max(0, user - used) < onDisk else { return Room(room: onDisk, refusal: ENOSPC) }
        return Room(room: max(0, user - used), refusal: EDQUOT)
    }

    init(disk: Int) { self.disk = disk }
}
