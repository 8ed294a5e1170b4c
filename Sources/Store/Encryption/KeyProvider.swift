/// Where the master key of a store comes from. The product `ShaleEncryption` has the usual ones: a key, a file, a
/// passphrase, an environment variable, a closure.
///
/// Asked when a store that has encrypted values is opened, and at the first encrypted write of one that has none. Never
/// under a lock.
public protocol KeyProvider: Sendable {
    /// What ``key(for:)`` needs to give the same key again, a salt and costs for example. Kept with the store for all to
    /// read; at most 1024 bytes. Asked once, before the first key.
    func makeParameters() throws(StorageError) -> [UInt8]

    /// The key. The same parameters must give the same key. Throws `.missingKey` when there is none to be had; the
    /// message must not hold anything secret.
    func key(for parameters: [UInt8]) throws(StorageError) -> SecretKey
}

extension KeyProvider {
    /// None.
    public func makeParameters() throws(StorageError) -> [UInt8] { [] }
}
