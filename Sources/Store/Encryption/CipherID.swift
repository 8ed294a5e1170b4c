/// The number that identifies a cipher in a store. On disk, do not change. Shale uses 1 … 127, applications use 128 …
/// 255; 0 means no cipher.
public struct CipherID: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// XAES-256-GCM of the C2SP: AES-256-GCM under a key derived for each value from its 192-bit nonce. The product
    /// `ShaleEncryption` implements it.
    public static let aes256GCM = CipherID(rawValue: 1)
}

extension CipherID: CustomStringConvertible {
    public var description: String { self == .aes256GCM ? "aes256GCM" : "cipher \(rawValue)" }
}
