import Shale
import ShaleBase

/// The keyed hashes that stand for the values of an index over encrypted records. On disk, do not change.
///
/// 1. Each index has a random secret of its own, so equal values of two indexes, users or collections have different
///    hashes. The number of the column is hashed too, so equal values of two columns have different hashes.
/// 2. The secret is an encrypted value in the namespace `.schema`. A change of the master key or of data keys encrypts
///    it again and does not change it, so all entries stay right.
/// 3. Two values with equal hashes would be taken for one by a unique index. At 128 bits that has a probability of
///    2⁻⁶⁴ for 2³² records. Queries compare values, so they are right in any case.
struct ColumnHasher: Sendable {
    static let hashBytes = 16

    let hasher: any KeyedHasher

    /// Returns the hash of a value: of the column's number and the value, each as an element of a ``CompositeKey``.
    func hash(_ element: CompositeKey.Element, column: Int) -> [UInt8] {
        var encoder = CompositeKeyEncoder()
        encoder.append(.int(Int64(column)))
        encoder.append(IndexKey.canonical(element))
        let hash = unsafe hasher.hash(encoder.bytes.span.bytes)
        precondition(hash.count == ColumnHasher.hashBytes, "a keyed hash has 16 bytes")
        return hash
    }
}

/// The secrets of indexes.
extension CollectionBase {
    /// True if new indexes contain keyed hashes in place of values.
    var hidesValues: Bool {
        get throws(StorageError) {
            if layout.hidesIndexedValues { return true }
            return try records.encryptsByDefault
        }
    }

    /// Returns the hash functions of the indexes that need one, by their numbers.
    func hashers(
        of stored: StoredSchema, at moment: borrowing some ReadMoment & ~Copyable
    ) throws(StorageError) -> [Int: ColumnHasher] {
        var hashers: [Int: ColumnHasher] = [:]
        for index in stored.indexes where index.containsHashes {
            let key = SchemaKeys.secret(index.id)
            guard var secret = try moment[meta].bytes(forKey: key) else {
                throw .corruption("the secret of an index is missing collection=\(name) index=\(index.name)")
            }
            // A secret in the clear is one that an attacker may have put there.
            guard try moment[meta].info(forKey: key)?.isEncrypted == true else {
                throw StorageError(.authenticationFailed, "the secret of an index is not encrypted collection=\(name)")
            }
            hashers[index.id] = ColumnHasher(hasher: try records.keyedHasher(wiping: &secret))
        }
        return hashers
    }

    /// Makes the secrets of indexes that have none, and removes those of indexes that are gone.
    func storeSecrets(
        of stored: StoredSchema, in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        let wanted = Set(stored.indexes.filter(\.containsHashes).map { SchemaKeys.secret($0.id) })
        let found = try transaction[meta].keys(prefix: SchemaKeys.secretPrefix).array().map(\.bytes)
        for key in found where !wanted.contains(key) { try transaction.removeKey(key, in: meta) }
        for key in wanted.subtracting(found) {
            var secret = try records.makeHashSecret()
            defer { SecretKey.wipe(&secret) }
            try transaction.setBytes(
                secret, forKey: key, in: meta, options: [.notPurgeable, .neverExpires, .encrypted])
        }
    }

    /// Returns an error if a record with these options is encrypted and an index would show its values.
    func exposure(of options: ValueOptions, _ schema: OpenSchema) -> StorageError? {
        guard options.namesEncryption, let index = schema.indexes.first(where: { !$0.layout.isKeyed }) else {
            return nil
        }
        return StorageError(
            .cipherMismatch,
            "an index would show values of an encrypted record: see hidesIndexedValues collection=\(name)"
                + " index=\(index.name)")
    }
}
