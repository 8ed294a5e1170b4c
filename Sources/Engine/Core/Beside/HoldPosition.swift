import ShalePlatform

/// The positions on LOCK that tell the owner what a reader holds. ShaleEngine.docc, "Readers in other processes".
enum HoldPosition {
    /// Everything that is not deleted yet.
    static let everything: UInt64 = 0

    /// The positions above hold logs.
    private static let firstLog: UInt64 = 1 << 60

    /// The position of the state whose next file number is `next`.
    static func state(_ next: UInt64) -> UInt64 { next < firstLog ? next : everything }

    /// The position that holds log `number` and all later ones.
    static func logs(from number: UInt64) -> UInt64 { number < firstLog ? firstLog + number : everything }

    /// True if `position` holds log `number`.
    static func holds(_ position: UInt64, log number: UInt64) -> Bool {
        position == everything || position >= firstLog && position - firstLog <= number
    }
}
