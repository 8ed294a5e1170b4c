#if canImport(Darwin)
    import Foundation
    import Shale

    // Compiled only where protection classes and device backups exist.
    func openStore(in container: URL) throws -> Store {
        var directory = container.appendingPathComponent("Store", isDirectory: true)
        let attributes: [FileAttributeKey: Any] = [
            .posixPermissions: 0o700,
            .protectionKey: FileProtectionType.completeUntilFirstUserAuthentication,
        ]
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: attributes)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true  // only if all of the store can be made again
        try directory.setResourceValues(values)
        return try Store(at: directory.path)
    }
#endif
