import ShaleManifest

/// Names in a backup directory. On disk, do not change: ShaleMaintenance.docc, "How backups work".
enum BackupLayout {
    private static let backupPrefix = "BACKUP-"
    private static let poolPrefix = "segments-"
    static let temporarySuffix = ".tmp"

    static func backup(_ number: UInt64) -> String { backupPrefix + digits(number) }
    static func pool(_ number: UInt64) -> String { poolPrefix + digits(number) }
    static func backupNumber(_ name: String) -> UInt64? { number(name, backupPrefix) }
    static func poolNumber(_ name: String) -> UInt64? { number(name, poolPrefix) }

    /// Formats a number as in the store's own file names: with ten digits or more.
    private static func digits(_ number: UInt64) -> String {
        String(StoreLayout.manifest(number).dropFirst(StoreLayout.manifestPrefix.count))
    }

    private static func number(_ name: String, _ prefix: String) -> UInt64? {
        guard name.hasPrefix(prefix) else { return nil }
        return StoreLayout.manifestNumber(StoreLayout.manifestPrefix + name.dropFirst(prefix.count))
    }
}
