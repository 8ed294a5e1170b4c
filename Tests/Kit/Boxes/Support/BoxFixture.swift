#if Encryption
    import Foundation
    import ShaleKit
    import ShaleEngine
    import ShalePlatform
    import ShaleSimulation
    import Testing

    /// A data directory and a separate vault of an application, on a simulated disk.
    final class BoxFixture {
        let files: SimulatedFileSystem
        static let data = "/data"
        static let keys = TestKeys.provider

        init(_ files: SimulatedFileSystem = SimulatedFileSystem(seed: 1)) { self.files = files }

        private var environment: EngineEnvironment { EngineEnvironment(fileSystem: files, scheduling: .inline) }

        func openVault() throws(StorageError) -> Vault {
            try Vault(at: "/vault", keys: BoxFixture.keys, environment: environment)
        }

        func openBox(
            _ vault: Vault, _ application: String = "app", at path: String = BoxFixture.data
        ) throws(StorageError) -> DataBox {
            var options = Store.Options()
            options.engine.time = ManualTime()
            options.engine.syncInterval = nil
            options.purgeInterval = nil
            return try DataBox(
                at: path, application: application, vault: vault, options: options, environment: environment)
        }

        /// Opens a box for `body`, then closes the box and its vault.
        func launch<R>(
            _ application: String = "app", at path: String = BoxFixture.data, _ body: (DataBox) throws -> R
        ) throws -> R {
            let vault = try openVault()
            let box = try openBox(vault, application, at: path)
            let result = try body(box)
            try box.close()
            try vault.close()
            return result
        }

        /// Deletes a data directory, as removing an application does.
        func uninstall(_ path: String = BoxFixture.data) throws {
            let directory = try files.openDirectory(path, create: false)
            try BoxFixture.empty(directory)
            try files.openDirectory("/", create: false).removeDirectory(String(path.dropFirst()))
        }

        private static func empty(_ directory: any Directory) throws {
            for name in try directory.list() {
                do throws(IOFailure) {
                    try directory.remove(name)
                } catch {
                    try empty(try directory.openDirectory(name, create: false))
                    try directory.removeDirectory(name)
                }
            }
            try directory.sync()
        }

        /// Copies a directory, as `cp -r` does.
        func copy(_ path: String, to copy: String) throws {
            try DirectoryCopy.copy(
                try files.openDirectory(path, create: false), to: try files.openDirectory(copy, create: true))
        }

        /// Returns the number of values in the vault for an application's restricted scope, of all generations.
        func restrictedCount(_ application: String = "app") throws -> Int {
            let vault = try openVault()
            defer { withExtendedLifetime(vault) {} }
            let count = try vault.removeAll(below: ["box", EntryKey(application), "restricted"])
            try vault.close()
            return count
        }
    }

    enum TestKeys {
        static let provider: any KeyProvider = {
            do {
                return KeySource.key(try SecretKey())
            } catch {
                preconditionFailure("\(error)")
            }
        }()
    }
#endif
