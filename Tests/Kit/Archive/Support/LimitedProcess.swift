#if os(Linux)
    import Foundation
    import ShaleArchive
    import TestSupport

    /// What happens in a process that can't get more memory than a reader of files may take.
    enum LimitedProcess {
        /// Something was imported.
        struct Taken: Error {}

        /// How a file is imported.
        static func defaults(_ namespace: Namespace, _ path: String) throws -> ImportReport {
            try namespace.importUserDefaults(at: path)
        }

        static func archive(_ namespace: Namespace, _ path: String) throws -> ImportReport {
            try namespace.importKeyedArchive(at: path, forKey: "k")
        }

        /// The folder that it is in.
        static func folder(_ namespace: Namespace, _ path: String) throws -> ImportReport {
            try namespace.importFolder(at: URL(fileURLWithPath: path).deletingLastPathComponent().path)
        }

        /// Reads a document that is stored as it is, which no setter has seen.
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

        /// Writes a file and runs `body` with an empty store and its path, under the limit: an allocation that does not
        /// fit ends the process.
        static func run(
            _ name: String, _ content: () -> Data, _ body: (Store, String) throws -> Void
        ) throws {
            let place = FileManager.default.temporaryDirectory.path + "/shale-hostile-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(atPath: place) }
            let path = place + "/" + name
            try content().write(to: URL(fileURLWithPath: path))
            let store = try Store(at: place + "/store")
            try limitAddressSpace()
            try body(store, path)
            try store.close()
        }

        /// The same for a file that nothing is imported from: the error that says so.
        static func refuse(
            _ name: String, _ content: () -> Data, _ body: (Namespace, String) throws -> ImportReport
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
