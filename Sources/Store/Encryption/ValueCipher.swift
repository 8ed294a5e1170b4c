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
