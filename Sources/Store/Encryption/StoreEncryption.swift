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
