import ShaleBase
package import ShaleEngine

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The options of one value, written as a list, `[.purgeable, .expires(after: .seconds(3600))]`, or alone,
/// `.purgeable`.
///
/// Unset options come from the namespace's ``NamespaceOptions``. The last write of a key decides: setting it again
/// without an option removes the option. If options in one list contradict each other, the last one wins.
public struct ValueOptions: Sendable, Hashable {
    enum Expiry: Sendable, Hashable {
        case never
        case at(milliseconds: Int64)
        case after(milliseconds: Int64)
    }

    var isPurgeable: Bool?
    var expiry: Expiry?
    /// Encryption and cipher in one field, so that passing options needs no further register: 0 unset, 1 not encrypted,
    /// 2 encrypted, 256 + a cipher's number: encrypted with that cipher.
    private var sealing: UInt16 = 0

    @inline(__always)
    package var isEncrypted: Bool? { sealing == 0 ? nil : sealing > 1 }
    /// The cipher to encrypt the value with; `nil` means the namespace's.
    package var cipher: CipherID? { sealing < 256 ? nil : CipherID(rawValue: UInt8(truncatingIfNeeded: sealing)) }

    /// True if no option is set.
    @inline(__always)
    var isStandard: Bool { isPurgeable == nil && expiry == nil && sealing == 0 }

    /// Makes options that leave everything to the namespace.
    public init() {}

    /// A purge removes the entry.
    public static let purgeable = ValueOptions(isPurgeable: true)
    /// A purge keeps the entry, even in a namespace whose entries are purgeable.
    public static let notPurgeable = ValueOptions(isPurgeable: false)
    /// The value is encrypted with the cipher of the namespace or the store. See ``StoreEncryption`` for what that
    /// hides.
    public static let encrypted = ValueOptions(sealing: 2)

    /// The value is encrypted with this cipher, and keeps it when data keys are changed. Reading it needs no option.
    ///
    /// The write throws `.cipherMismatch` unless the store was opened with the cipher (``StoreEncryption/cipher``,
    /// ``StoreEncryption/otherCiphers``).
    ///
    /// ```swift
    /// try notes.set(text, forKey: "n1", options: .encrypted(with: .aes256GCM))
    /// ```
    public static func encrypted(with cipher: CipherID) -> ValueOptions {
        ValueOptions(sealing: 256 | UInt16(cipher.rawValue))
    }

    /// The value is stored unencrypted, even in a namespace whose values are encrypted.
    public static let notEncrypted = ValueOptions(sealing: 1)
    /// The entry never expires, even in a namespace whose entries expire.
    public static let neverExpires = ValueOptions(expiry: .never)

    /// The entry expires exactly `lifetime` after the write: reads find it until then and not afterwards.
    ///
    /// Rounded up to milliseconds. An entry with a lifetime of zero or less expires at once.
    public static func expires(after lifetime: Duration) -> ValueOptions {
        ValueOptions(expiry: .after(milliseconds: lifetime.wholeMilliseconds))
    }

    /// The entry expires at `date`; at once if `date` is in the past. Rounded up to milliseconds.
    public static func expires(at date: Date) -> ValueOptions {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.up)
        // A date out of range is beyond any clock. NaN is not a date; the entry never expires.
        return ValueOptions(
            expiry: .at(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)))
    }

    /// Returns the engine's options for an entry: these, completed by the defaults of its namespace. A lifetime of 0
    /// means that entries don't expire.
    package func completed(
        isPurgeable defaultPurgeable: Bool, lifetimeMilliseconds: Int64, now: () -> Int64
    ) -> PutOptions {
        func moment(after milliseconds: Int64) -> Int64 {
            let (sum, overflow) = now().addingReportingOverflow(milliseconds)
            return overflow ? (milliseconds < 0 ? .min : .max) : sum
        }
        let end: Int64?
        switch expiry {
        case .never: end = nil
        case .at(let milliseconds): end = milliseconds
        case .after(let lifetime): end = moment(after: lifetime)
        case nil: end = lifetimeMilliseconds == 0 ? nil : moment(after: lifetimeMilliseconds)
        }
        return PutOptions(isPurgeable: isPurgeable ?? defaultPurgeable, expiresAtMilliseconds: end)
    }

    /// Makes options that keep purgeability and expiry of a stored entry.
    init(keeping entry: EntryInfo) {
        self.init(
            isPurgeable: entry.isPurgeable,
            expiry: entry.expiresAtMilliseconds.map { .at(milliseconds: $0) } ?? .never)
    }

    /// Throws `.invalidArgument` if the options name encryption.
    func requireNoEncryption() throws(StorageError) {
        guard sealing == 0 else {
            throw .invalid("touch changes expiry and purgeability; set the value to change its encryption")
        }
    }

    static func expires(atMilliseconds milliseconds: Int64) -> ValueOptions {
        ValueOptions(expiry: .at(milliseconds: milliseconds))
    }

    /// Makes options that say everything. `cipher` counts only with encryption.
    init(_ entry: PutOptions, isEncrypted: Bool, _ cipher: CipherID?) {
        self.init(
            isPurgeable: entry.isPurgeable,
            expiry: entry.expiresAtMilliseconds.map { .at(milliseconds: $0) } ?? .never,
            sealing: isEncrypted ? cipher.map { 256 | UInt16($0.rawValue) } ?? 2 : 1)
    }

    /// The same options for an entry that is not encrypted.
    package var unencrypted: ValueOptions {
        ValueOptions(isPurgeable: isPurgeable, expiry: expiry, sealing: 1)
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

extension Duration {
    /// The duration in milliseconds, rounded up and clamped to the range of `Int64`.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        if overflow { return seconds < 0 ? .min : .max }
        let part = attoseconds / 1_000_000_000_000_000
        let isRounded = attoseconds > part * 1_000_000_000_000_000
        let (sum, overflows) = whole.addingReportingOverflow(part + (isRounded ? 1 : 0))
        return overflows ? (whole < 0 ? .min : .max) : sum
    }
}
