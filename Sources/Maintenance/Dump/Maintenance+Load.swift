public import ShaleBase
public import ShaleEngine
package import ShalePlatform

extension Maintenance {
    /// Makes a new store from a dump, in the directory `path`, which must not exist or must be empty.
    ///
    /// Namespaces keep their ids, so encrypted values open with the master key of the dumped store. Until this returns
    /// the directory is no store: a dump that is truncated, or wrong at any line, produces none.
    ///
    /// - Parameters:
    ///   - path: The directory of the new store.
    ///   - options: The options for writing segments.
    ///   - read: Returns the next piece of the dump, of any length. An empty piece ends the dump.
    /// - Returns: The number of entries.
    /// - Throws: `.invalidArgument` with the line's number if a line is not valid or out of order.
    @discardableResult
    public static func load(
        into path: String, options: EngineOptions = EngineOptions(), read: () throws(StorageError) -> [UInt8]
    ) throws(StorageError) -> UInt64 {
        try load(
            into: path, options: options, fileSystem: PosixFileSystem(), threads: processorCount(), read: read)
    }

    package static func load(
        into path: String, options: EngineOptions, fileSystem: any FileSystem, threads: Int = 1,
        read: () throws(StorageError) -> [UInt8]
    ) throws(StorageError) -> UInt64 {
        try options.validate()
        let builder = try StoreBuilder(at: path, fileSystem, options, threads: threads)
        do {
            var loader = DumpLoader(builder)
            var lines = LineSplitter()
            while true {
                let piece = try read()
                if piece.isEmpty { break }
                try lines.add(piece) { (line, number) throws(StorageError) in
                    try loader.take(line, number: number)
                }
            }
            try lines.finish { (line, number) throws(StorageError) in try loader.take(line, number: number) }
            try loader.finish()
            return builder.entryCount
        } catch {
            builder.abandon()
            throw error
        }
    }
}
