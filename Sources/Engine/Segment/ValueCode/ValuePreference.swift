/// A writer's choice between the plain form of values, which decodes several times as fast, and prefix codes, which
/// take less space.
package enum ValuePreference: Sendable {
    /// Always the plain form.
    case fast
    /// The plain form, if it takes at most a quarter more space.
    case balanced
    /// The form that takes less space.
    case small

    /// Returns the preference of a writer that compresses with `codec`.
    package init(_ codec: BlockCodec) {
        switch codec {
        case .none, .lz4: self = .fast
        case .zstd(let level): self = level < 1 ? .fast : level < ValuePreference.smallLevelMin ? .balanced : .small
        }
    }

    /// The zstd level from which space counts more than time.
    private static let smallLevelMin: Int32 = 3

    /// Returns true if new values may have the form of `code`, without a comparison of sizes.
    ///
    /// - Parameter orPrefixCodes: True if a writer that balances both may choose prefix codes.
    package func permits(_ code: ValueCode, orPrefixCodes: Bool) -> Bool {
        switch self {
        case .fast: code.isPlain
        case .balanced: code.isPlain || orPrefixCodes
        case .small: !code.isPlain
        }
    }

    /// Returns the size up to which values are stored one by one, if they take `bytes` in whole
    /// blocks.
    package func codedBytesMax(_ bytes: Int) -> Int { bytes + bytes / (self == .small ? 8 : 4) }

    /// Returns the size up to which values take the plain form, if they take `bytes` under prefix codes.
    func plainBytesMax(_ bytes: Int) -> Int {
        switch self {
        case .fast: .max
        case .balanced: bytes + bytes / 4
        case .small: bytes
        }
    }
}
