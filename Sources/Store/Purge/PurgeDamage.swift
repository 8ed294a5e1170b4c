public import ShaleBase

/// What a purge by policy left where it was because it could not be read.
public struct PurgeDamage: Sendable {
    /// How many errors are kept.
    private static let errorsMax = 16

    /// Values whose header does not say when they were written, and namespaces whose run ended at damage.
    public private(set) var count = 0
    /// The first of them, which name file and offset where a file is to blame, and never a key or a value.
    public private(set) var errors: [StorageError] = []

    mutating func note(_ error: StorageError) {
        count += 1
        if errors.count < PurgeDamage.errorsMax { errors.append(error) }
    }

    mutating func add(_ other: PurgeDamage) {
        count += other.count
        errors += other.errors.prefix(PurgeDamage.errorsMax - errors.count)
    }
}
