import ShaleBase

/// What ``NamespaceOptions`` say of values that are set, in one word: bit 0 purgeable, bit 1 encrypted, bit 2 they
/// hold their time of writing, the bits above them the time to live in milliseconds, 0 for none.
struct NamespaceDefaults: Equatable, Sendable {
    /// Fits beside the flags; longer than any clock.
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
        guard options.timeToLive == nil || milliseconds > 0 else { throw .invalid("a time to live is not positive") }
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

    /// 0 = for ever.
    @inline(__always)
    var lifetimeMilliseconds: Int64 { Int64(word >> 3) }
}
