public import ShaleBase

/// The damage that a purge by policy met. The affected entries stay in the store.
public struct PurgeDamage: Sendable {
    /// The maximum number of errors kept.
    private static let errorsMax = 16

    /// The number of values whose header does not show their time of writing, plus the number of namespaces whose run
    /// ended at damage.
    public private(set) var count = 0
    /// The first errors, at most 16. They name file and offset if a file is damaged, and never a key or a value.
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
