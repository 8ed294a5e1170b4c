/// The source of a store's master key. The product `ShaleEncryption` has the usual ones: a key, a file, a passphrase,
/// an environment variable, a closure.
///
/// Shale calls it when it opens a store that has encrypted values, and at the first encrypted write of a store that has
/// none. It never calls it while holding a lock.
public protocol KeyProvider: Sendable {
    /// Returns the parameters that ``key(for:)`` needs to derive the same key again, for example a salt and costs.
    ///
    /// They are stored with the store in the clear; at most 1024 bytes. Called once, before the first key.
    func makeParameters() throws(StorageError) -> [UInt8]

    /// Returns the key. The same parameters must give the same key.
    ///
    /// - Throws: `.missingKey` if no key is available. The message must not contain anything secret.
    func key(for parameters: [UInt8]) throws(StorageError) -> SecretKey
}

extension KeyProvider {
    /// Returns no parameters.
    public func makeParameters() throws(StorageError) -> [UInt8] { [] }
}
