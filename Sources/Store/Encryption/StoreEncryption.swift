/// The encryption settings of a store: its cipher and the source of its master key.
///
/// Values set with ``ValueOptions/encrypted``, or in a namespace that encrypts by default
/// (``NamespaceOptions/isEncrypted``), are encrypted before any part of them reaches a file. They stay encrypted in
/// logs, segments and checkpoints. Reading them needs no option. Each namespace has a random data key, which the master
/// key wraps. Dropping the namespace destroys its data key.
///
/// Only the value is encrypted. Keys, names of namespaces and users, codecs, sizes, expiry and the times of writes are
/// not hidden. Shale does not detect that the whole directory, or one value at its own key, was set back to an earlier
/// state. If the master key is lost, the values can't be recovered.
///
/// A store opened without encryption serves all values that are not encrypted. Reading an encrypted value then throws
/// `.cipherMismatch`.
public struct StoreEncryption: Sendable {
    /// The cipher for new values, unless the call (``ValueOptions/encrypted(with:)``) or the namespace
    /// (``NamespaceOptions/cipher``) names another one.
    ///
    /// It also seals data keys.
    public var cipher: any ValueCipher

    /// The source of the master key.
    public var keys: any KeyProvider

    /// Other ciphers for reading values, and for writing where a call or a namespace names them.
    ///
    /// A store may hold values of several ciphers; each value records its cipher.
    public var otherCiphers: [any ValueCipher]

    public init(cipher: any ValueCipher, keys: any KeyProvider, otherCiphers: [any ValueCipher] = []) {
        self.cipher = cipher
        self.keys = keys
        self.otherCiphers = otherCiphers
    }
}

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

/// An authenticated cipher for values.
///
/// The product `ShaleEncryption` has the standard one. An application's own cipher needs an ``id`` of 128 … 255 that
/// means the same cipher permanently.
public protocol ValueCipher: Sendable {
    var id: CipherID { get }

    /// Returns the cipher with a key. Called once for each data key; Shale keeps the result. The sealer may keep a
    /// reference to the key.
    func sealer(with key: SecretKey) throws(StorageError) -> any ValueSealer
}

/// A ``ValueCipher`` with its key. Called from any thread.
public protocol ValueSealer: Sendable {
    /// Encrypts `plaintext`, authenticates it together with `context`, and appends the result to `output`.
    ///
    /// `nonce` is 24 bytes from the kernel's random generator, new for each call. The cipher must be safe for 2^40 such
    /// nonces under one key; a cipher with shorter nonces derives a key from the nonce first. Errors must not contain
    /// the plaintext.
    func seal(
        _ plaintext: RawSpan, nonce: RawSpan, context: RawSpan, appendingTo output: inout [UInt8]
    ) throws(StorageError)

    /// Decrypts the result of ``seal(_:nonce:context:appendingTo:)`` and appends the plaintext to `output`.
    ///
    /// - Returns: False, with nothing appended, if `sealed`, `nonce`, `context` or the key differs from the one of the
    ///   sealing.
    func open(
        _ sealed: RawSpan, nonce: RawSpan, context: RawSpan, appendingTo output: inout [UInt8]
    ) throws(StorageError) -> Bool
}
