/// The number by which a store knows a cipher. On disk, do not change. 1 … 127 are Shale's, 128 … 255 are for
/// applications; 0 is none.
public struct CipherID: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// AES-256-GCM under a key derived for each value from its 192-bit nonce: XAES-256-GCM of the C2SP. In the product
    /// `ShaleEncryption`.
    public static let aes256GCM = CipherID(rawValue: 1)
}

extension CipherID: CustomStringConvertible {
    public var description: String { self == .aes256GCM ? "aes256GCM" : "cipher \(rawValue)" }
}
