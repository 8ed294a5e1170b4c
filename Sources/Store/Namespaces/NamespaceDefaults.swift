import ShaleBase

/// The defaults of ``NamespaceOptions`` for writes, packed into one word. Bit 0: purgeable. Bit 1: encrypted. Bit 2:
/// values hold their time of writing. Bits 3 and up: the time to live in milliseconds, 0 for none.
struct NamespaceDefaults: Equatable, Sendable {
    /// The maximum time to live: it fits beside the flags and exceeds the range of any clock.
    static let lifetimeMax = Int64.max >> 2

    let word: UInt64

    static let standard = NamespaceDefaults(word: 0)

    init(word: UInt64) { self.word = word }

    init(isPurgeable: Bool, isEncrypted: Bool, isTimed: Bool, lifetimeMilliseconds: Int64) {
        word =
            UInt64(lifetimeMilliseconds) << 3 | (isTimed ? 4 : 0) | (isEncrypted ? 2 : 0) | (isPurgeable ? 1 : 0)
    }

    init(_ options: NamespaceOptions) throws(StorageError) {
        let milliseconds = options.timeToLive?.wholeMilliseconds ?? 0
        guard options.timeToLive == nil || milliseconds > 0 else {
            throw .invalid("a time to live must be at least 1 ms")
        }
        self.init(
            isPurgeable: options.isPurgeable, isEncrypted: options.isEncrypted,
            isTimed: options.purgePolicy.isAutomatic,
            lifetimeMilliseconds: min(milliseconds, NamespaceDefaults.lifetimeMax))
    }

    @inline(__always)
    var isPurgeable: Bool { word & 1 != 0 }

    @inline(__always)
    var isEncrypted: Bool { word & 2 != 0 }

    @inline(__always)
    var isTimed: Bool { word & 4 != 0 }

    /// 0 means no expiry.
    @inline(__always)
    var lifetimeMilliseconds: Int64 { Int64(word >> 3) }
}
