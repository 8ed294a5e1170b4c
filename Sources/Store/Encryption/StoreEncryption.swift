/// How a store encrypts: its cipher, and where its master key comes from.
///
/// Values that are set with ``ValueOptions/encrypted``, or in a namespace that encrypts by default
/// (``NamespaceOptions/isEncrypted``), are encrypted before anything of them reaches a file, and stay so in logs, segments and
/// checkpoints. Reading them needs no option. Each namespace has a random key of its own, which the master key wraps:
/// dropping the namespace destroys it.
///
/// What is encrypted is the value. Keys, names of namespaces and users, codecs, sizes, expiry and the times of writes are
/// not hidden; nor is it noticed when somebody puts the whole directory, or a value at its own key, back to what it was
/// before. Who loses the master key has lost the values: there is no other way to them.
///
/// A store that is opened without encryption serves everything that is not encrypted; encrypted values are then errors of
/// code `.cipherMismatch`.
public struct StoreEncryption: Sendable {
    /// For values that are written from now on, where neither the call (``ValueOptions/encrypted(with:)``) nor the
    /// namespace (``NamespaceOptions/cipher``) names another one. Seals data keys as well.
    public var cipher: any ValueCipher

    /// Where the master key comes from.
    public var keys: any KeyProvider

    /// Other ciphers that values are read with, and written where a call or a namespace names them: a store may hold
    /// values of several ciphers, and each value says with which it was written.
    public var otherCiphers: [any ValueCipher]

    public init(cipher: any ValueCipher, keys: any KeyProvider, otherCiphers: [any ValueCipher] = []) {
        self.cipher = cipher
        self.keys = keys
        self.otherCiphers = otherCiphers
    }
}
