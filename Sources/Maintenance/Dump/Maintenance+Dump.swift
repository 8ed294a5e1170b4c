public import ShaleBase
public import ShaleEngine
package import ShalePlatform

extension Maintenance {
    /// Writes all entries that the store at `path` shows as lines of JSON: ShaleMaintenance.docc, "Dumps".
    ///
    /// ``load(into:options:read:)`` makes an equal store from the lines: keys, values with codecs and headers,
    /// purgeability, expiry, namespaces with their options, users. Encrypted values are written as stored. They open
    /// only with the same master key, in a store loaded from this dump. The dump shows one moment; another process may
    /// have the store open. `write` receives about 1 MiB at a time; the bytes are valid during the call.
    ///
    /// - Returns: The number of entries.
    /// - Throws: `.invalidArgument` for a value above 32 MiB, which was written in pieces. The errors of opening and
    ///   reading the store, and of `write`.
    @discardableResult
    public static func dump(
        storeAt path: String, progress: @escaping MaintenanceProgress.Handler = { _ in },
        to write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> UInt64 {
        try dump(
            storeAt: path, engine: Engine.Options(), environment: EngineEnvironment(), progress: progress, to: write)
    }

    package static func dump(
        storeAt path: String, engine options: Engine.Options, environment: EngineEnvironment,
        progress: @escaping MaintenanceProgress.Handler = { _ in }, to write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> UInt64 {
        let source = try SourceStore(at: path, options, environment)
        let progress = ByteProgress(source.dataBytes, progress)
        var writer = DumpWriter()
        writer.begin(nextNamespace: source.engine.nextNamespaceID)
        for namespace in source.engine.namespaces {
            writer.begin(namespace, options: namespace.options)
            var cursor = try source.engine.cursor(in: namespace.id)
            while try cursor.next() {
                let info = cursor.info
                let key = cursor.key
                let value = cursor.value
                try DumpWriter.check(value)
                unsafe key.withUnsafeBytes { key in
                    unsafe value.withUnsafeBytes { value in
                        writer.add(
                            unsafe Bytes(key), unsafe Bytes(value), isPurgeable: info.isPurgeable,
                            expiry: info.expiresAtMilliseconds)
                    }
                }
                try progress.add(UInt64(key.byteCount + value.byteCount))
                if writer.text.count >= 1 << 20 { try flush(&writer, write) }
            }
        }
        writer.end()
        try flush(&writer, write)
        try source.engine.close()
        return writer.entryCount
    }

    static func flush(
        _ writer: inout DumpWriter, _ write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        try write(writer.text.bytes.span)
        writer.text.removeAll()
    }
}

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
        into path: String, options: Engine.Options = Engine.Options(), read: () throws(StorageError) -> [UInt8]
    ) throws(StorageError) -> UInt64 {
        try load(
            into: path, options: options, fileSystem: PosixFileSystem(), threads: processorCount(), read: read)
    }

    package static func load(
        into path: String, options: Engine.Options, fileSystem: any FileSystem, threads: Int = 1,
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
