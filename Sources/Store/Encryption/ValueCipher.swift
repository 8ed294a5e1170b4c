/// An authenticated cipher for values. The product `ShaleEncryption` has the standard one; applications may bring their
/// own, with an ``id`` of 128 … 255 that means the same cipher for ever.
public protocol ValueCipher: Sendable {
    var id: CipherID { get }

    /// The cipher with a key: made once for each data key and kept. It may keep a reference to the key.
    func sealer(with key: SecretKey) throws(StorageError) -> any ValueSealer
}

/// A ``ValueCipher`` with its key. Called from any thread.
public protocol ValueSealer: Sendable {
    /// Encrypts `plaintext`, and authenticates it together with `context`; appends the outcome to `output`.
    ///
    /// `nonce` is 24 bytes from the kernel's random generator, never used before: the cipher must be safe under 2^40 of
    /// them for one key. One that takes shorter nonces derives a key from these first. Errors must not hold what was
    /// encrypted.
    func seal(
        _ plaintext: RawSpan, nonce: RawSpan, context: RawSpan, appendingTo output: inout [UInt8]
    ) throws(StorageError)

    /// Decrypts what ``seal(_:nonce:context:appendingTo:)`` appended and appends the plaintext to `output`; false when
    /// `sealed`, `nonce`, `context` or the key are not the ones of the sealing: then nothing is appended.
    func open(
        _ sealed: RawSpan, nonce: RawSpan, context: RawSpan, appendingTo output: inout [UInt8]
    ) throws(StorageError) -> Bool
}
