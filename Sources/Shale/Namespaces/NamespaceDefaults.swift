import ShaleBase

/// What ``NamespaceOptions`` say of values that are set, in one word: bit 0 purgeable, the bits above it the time to live
/// in milliseconds, 0 for none.
struct NamespaceDefaults: Equatable, Sendable {
    /// Fits beside the flag; longer than any clock.
    static let lifetimeMax = Int64.max >> 1

    let word: UInt64

    static let standard = NamespaceDefaults(word: 0)

    init(word: UInt64) { self.word = word }

    init(isPurgeable: Bool, lifetimeMilliseconds: Int64) {
        word = UInt64(lifetimeMilliseconds) << 1 | (isPurgeable ? 1 : 0)
    }

    init(_ options: NamespaceOptions) throws(StorageError) {
        let milliseconds = options.timeToLive?.wholeMilliseconds ?? 0
        guard options.timeToLive == nil || milliseconds > 0 else { throw .invalid("a time to live is not positive") }
        self.init(
            isPurgeable: options.isPurgeable,
            lifetimeMilliseconds: min(milliseconds, NamespaceDefaults.lifetimeMax))
    }

    @inline(__always)
    var isPurgeable: Bool { word & 1 != 0 }

    /// 0 = for ever.
    @inline(__always)
    var lifetimeMilliseconds: Int64 { Int64(word >> 1) }
}
