#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// How one value is stored: written as a list, `[.purgeable, .expires(after: .days(7))]`, or alone, `.purgeable`.
///
/// What is not said comes from the namespace's ``NamespaceOptions``. The last write of a key decides: setting it again
/// without an option takes the option away. Of contradicting options in one list the later wins.
public struct ValueOptions: Sendable, Hashable {
    enum Expiry: Sendable, Hashable {
        case never
        case at(milliseconds: Int64)
        case after(milliseconds: Int64)
    }

    var isPurgeable: Bool?
    var expiry: Expiry?
    /// One field for two questions, so that passing options takes no further register: 0 nothing is said, 1 in the
    /// clear, 2 encrypted, 256 + a cipher's number: encrypted with that cipher.
    private var sealing: UInt16 = 0

    @inline(__always)
    var isEncrypted: Bool? { sealing == 0 ? nil : sealing > 1 }
    /// The cipher that the value is to be encrypted with; `nil`: the namespace's.
    var cipher: CipherID? { sealing < 256 ? nil : CipherID(rawValue: UInt8(truncatingIfNeeded: sealing)) }

    /// Whether nothing is said.
    @inline(__always)
    var isStandard: Bool { isPurgeable == nil && expiry == nil && sealing == 0 }

    /// Everything as the namespace says.
    public init() {}

    /// A purge takes the entry.
    public static let purgeable = ValueOptions(isPurgeable: true)
    /// A purge leaves the entry, even where the namespace's entries are purgeable.
    public static let notPurgeable = ValueOptions(isPurgeable: false)
    /// The value is encrypted with the namespace's cipher, or the store's: see ``StoreEncryption`` for what that hides.
    public static let encrypted = ValueOptions(sealing: 2)

    /// The value is encrypted with this cipher, one of those that the store was opened with
    /// (``StoreEncryption/cipher``,
    /// ``StoreEncryption/otherCiphers``); otherwise the write throws `.cipherMismatch`. Reading it needs no option. It
    /// stays with this cipher when data keys are changed.
    ///
    /// ```swift
    /// try notes.set(text, forKey: "n1", .encrypted(with: .aes256GCM))
    /// ```
    public static func encrypted(with cipher: CipherID) -> ValueOptions {
        ValueOptions(sealing: 256 | UInt16(cipher.rawValue))
    }

    /// The value is stored in the clear, even where the namespace's values are encrypted.
    public static let notEncrypted = ValueOptions(sealing: 1)
    /// The entry stays, even where the namespace's entries expire.
    public static let neverExpires = ValueOptions(expiry: .never)

    /// The entry is gone `lifetime` after the write, exactly: reads find it until then and not afterwards. Rounded up to
    /// milliseconds; a lifetime that is not positive is over at once.
    public static func expires(after lifetime: Duration) -> ValueOptions {
        ValueOptions(expiry: .after(milliseconds: lifetime.wholeMilliseconds))
    }

    /// The entry is gone from `date` on; a date in the past is over at once. Rounded up to milliseconds.
    public static func expires(at date: Date) -> ValueOptions {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.up)
        // What doesn't fit is further away than any clock; NaN is no date and never comes.
        return ValueOptions(
            expiry: .at(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)))
    }

    private init(isPurgeable: Bool? = nil, expiry: Expiry? = nil, sealing: UInt16 = 0) {
        self.isPurgeable = isPurgeable
        self.sealing = sealing
        self.expiry = expiry
    }
}

extension ValueOptions: ExpressibleByArrayLiteral {
    public init(arrayLiteral options: ValueOptions...) {
        for option in options {
            isPurgeable = option.isPurgeable ?? isPurgeable
            expiry = option.expiry ?? expiry
            if option.sealing != 0 { sealing = option.sealing }
        }
    }
}
