#if os(Linux)
    import Foundation
    import ShaleFoundation
    import TestSupport

    /// Calls in a process that can allocate only as much memory as a reader of files may take.
    enum LimitedProcess {
        /// The process imported something.
        struct Taken: Error {}

        /// Imports the file as user defaults.
        static func defaults(_ namespace: Store.Namespace, _ path: String) throws -> ImportReport {
            try namespace.importUserDefaults(at: path)
        }

        static func archive(_ namespace: Store.Namespace, _ path: String) throws -> ImportReport {
            try namespace.importKeyedArchive(at: path, forKey: "k")
        }

        /// Imports the folder that contains the file.
        static func folder(_ namespace: Store.Namespace, _ path: String) throws -> ImportReport {
            try namespace.importFolder(at: URL(fileURLWithPath: path).deletingLastPathComponent().path)
        }

        /// Reads a document that was stored without the checks of a setter.
        static func stored(_ store: Store, _ path: String) throws {
            try store.plantJSON(try Data(contentsOf: URL(fileURLWithPath: path)), forKey: "k")
            do {
                _ = try store.common["n"].object(forKey: "k")
            } catch {
                guard error.code != .corruption else { return }
                throw error
            }
            throw Taken()
        }

        /// Writes a file, and runs `body` with an empty store and the path, under the limit. An allocation that exceeds
        /// the limit ends the process.
        static func run(
            _ name: String, _ content: () -> Data, _ body: (Store, String) throws -> Void
        ) throws {
            try withHostileFolder { folder in
                let path = folder + "/" + name
                try content().write(to: URL(fileURLWithPath: path))
                let store = try Store(at: folder + "/store")
                try limitAddressSpace()
                try body(store, path)
                try store.close()
            }
        }

        /// Runs `body` like `run`, and expects that it imports nothing and reports the error.
        static func refuse(
            _ name: String, _ content: () -> Data, _ body: (Store.Namespace, String) throws -> ImportReport
        ) throws {
            try run(name, content) { store, path in
                let namespace = store.common["n"]
                do {
                    let report = try body(namespace, path)
                    guard report.failedCount == 1, report.importedCount == 0 else { throw Taken() }
                } catch let error as StorageError {
                    guard error.code == .corruption || error.code == .invalidArgument else { throw error }
                }
                let count = try namespace.count()
                guard count == 0 else { throw Taken() }
            }
        }
    }
#endif
