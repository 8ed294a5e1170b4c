public import ShaleBase
import ShaleEngine
import ShalePlatform

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

#if canImport(System)
    public import System
#endif

/// Other ways to say where a store is.
extension Store {
    /// Opens the store in the directory at `url`. See `init(at:options:)` with a path in text.
    ///
    /// ```swift
    /// let store = try Store(at: URL.applicationSupportDirectory.appending(path: "store"))
    /// ```
    /// - Throws: `.invalidArgument` if `url` is no file URL. Otherwise the errors of opening by path.
    public convenience init(at url: URL, options: Store.Options = .init()) throws(StorageError) {
        try self.init(at: try url.storePath, options: options)
    }

    #if canImport(System)
        /// Opens the store in the directory at `path`. See `init(at:options:)` with a path in text.
        public convenience init(at path: FilePath, options: Store.Options = .init()) throws(StorageError) {
            try self.init(at: path.string, options: options)
        }
    #endif

    /// Makes a store in memory, for tests and previews.
    ///
    /// ```swift
    /// let store = try Store.inMemory()
    /// try store.common["settings"].set(0.5, forKey: "quality")
    /// ```
    /// It is the whole engine over files in memory, so it behaves as a store on disk, with these differences:
    ///
    /// - Its content goes when the store is closed, or when the last reference to the store and to its namespaces goes.
    ///   Each call makes a new, empty store, and no other process sees it.
    /// - A sync has nothing to do: ``Durability/synced`` and ``Durability/buffered`` are equal.
    /// - The content takes memory beside ``Engine/Options/memoryBudget``, and only memory limits it: about the stored
    ///   bytes, and twice as many during a compaction.
    /// - Logs are not mapped, and a file is read under its own lock: figures of speed don't apply to stores on disk.
    /// - ``Engine/checkpoint(at:)`` writes into the store's own memory, where nothing can open the copy. Purgeable
    ///   paths (``registerPurgeable(_:under:)``) are still those of the real file system.
    ///
    /// - Throws: `.missing` if the mode of `options` does not create a store; `.invalidArgument` for options out of
    ///   bounds.
    public static func inMemory(options: Store.Options = .init()) throws(StorageError) -> Store {
        try Store(
            at: "memory", options: options, environment: EngineEnvironment(fileSystem: MemoryFileSystem()))
    }
}

extension URL {
    /// The path of a file URL. Throws `.invalidArgument` for any other URL.
    package var storePath: String {
        get throws(StorageError) {
            guard isFileURL, path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
                throw .invalid("the URL of a store is not the absolute path of a directory")
            }
            return path
        }
    }
}
