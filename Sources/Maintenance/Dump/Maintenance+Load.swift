public import ShaleBase
public import ShaleEngine
package import ShalePlatform

extension Maintenance {
    /// Makes a new store of a dump, in the directory `path`, which must not exist or be empty. Namespaces keep their ids, so
    /// encrypted values open with the master key of the store that the dump is of. Until this returns the directory is no
    /// store: a dump that is cut short, or wrong at any line, makes none.
    ///
    /// `read` gives the next piece of the dump, of any length; an empty one is the end. `options` say how segments are written.
    /// Errors: `.invalidArgument` with the line's number for what is no dump, or not in order.
    /// - Returns: the number of entries.
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
