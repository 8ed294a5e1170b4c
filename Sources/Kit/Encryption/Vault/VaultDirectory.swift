#if Encryption
    import ShaleBase
    import ShalePlatform

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    extension Vault {
        /// Returns the usual directory of an application's vault, apart from its data, without creating or accessing
        /// it.
        ///
        /// It is `$XDG_DATA_HOME/<application>/vault`. If that variable is not set or not absolute, `~/.local/share` is
        /// used; on Apple platforms it is `Library/Application Support`.
        ///
        /// - Parameter application: A name for a directory, such as `com.example.mail`.
        /// - Throws: `.invalidArgument` if `application` is no name of a directory; `.missing` if there is no home
        ///   directory.
        public static func defaultDirectory(application: String) throws(StorageError) -> String {
            try defaultDirectory(application, ProcessInfo.processInfo.environment)
        }

        static func defaultDirectory(
            _ application: String, _ environment: [String: String]
        ) throws(StorageError) -> String {
            guard FileName.isValid(application) else {
                throw StorageError(.invalidArgument, "an application's name is not a valid directory name")
            }
            return FileName.join(FileName.join(try dataHome(environment), application), "vault")
        }

        private static func dataHome(_ environment: [String: String]) throws(StorageError) -> String {
            #if canImport(Darwin)
                let below = "Library/Application Support"
            #else
                // The specification requires that relative paths are ignored.
                if let named = environment["XDG_DATA_HOME"], named.hasPrefix("/") { return named }
                let below = ".local/share"
            #endif
            let home = URL.homeDirectory.path
            guard home.hasPrefix("/") else { throw StorageError(.missing, "this user has no home directory") }
            return FileName.join(home, below)
        }

        /// Opens the directory of a vault, mode 0700. If `creating`, a missing directory is created with its parents.
        static func prepareDirectory(
            _ path: String, creating: Bool, _ files: any FileSystem
        ) throws(StorageError) {
            let directory: any Directory
            do throws(IOFailure) {
                directory =
                    creating
                    ? try files.openPrivateDirectory(path) : try files.openDirectory(path, create: false)
            } catch {
                throw error.storageError
            }
            guard !directory.isOpenToOthers else {
                throw StorageError(
                    .invalidArgument, "the vault's directory is accessible to other users: set its mode to 0700",
                    file: path)
            }
        }
    }
#endif
