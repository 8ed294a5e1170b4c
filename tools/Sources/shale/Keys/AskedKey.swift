import ShaleEncryption
import Synchronization

/// A key from a passphrase. The user is asked for it at the terminal when the store turns out to need a key.
final class AskedKey: KeyProvider {
    private let isNew = Mutex(false)

    func makeParameters() throws(StorageError) -> [UInt8] {
        isNew.withLock { $0 = true }
        // Salt and costs do not depend on the passphrase.
        return try KeySource.passphrase("").makeParameters()
    }

    func key(for parameters: [UInt8]) throws(StorageError) -> SecretKey {
        guard !parameters.isEmpty else {
            throw StorageError(
                .missingKey, "the store's key is not derived from a passphrase: name its file with --key-file")
        }
        let text: String
        do {
            text = try Passphrase.ask(confirming: isNew.withLock { $0 })
        } catch {
            throw StorageError(.missingKey, "no key was named, and there is no passphrase: \(error)")
        }
        return try KeySource.passphrase(text).key(for: parameters)
    }
}
