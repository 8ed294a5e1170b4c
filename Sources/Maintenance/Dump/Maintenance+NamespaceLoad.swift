public import Shale
public import ShaleBase

/// The options of loading a dump of namespaces.
public struct NamespaceLoadOptions: Sendable {
    /// True if keys that exist keep their values. Default false: they are replaced.
    public var keepsExisting = false

    /// True if a namespace that does not exist gets the options of the dumped one. Default true. The options of a
    /// namespace that exists never change.
    public var setsOptions = true

    public init(keepsExisting: Bool = false, setsOptions: Bool = true) {
        self.keepsExisting = keepsExisting
        self.setsOptions = setsOptions
    }
}

/// The result of loading a dump of namespaces.
public struct NamespaceLoadReport: Sendable, Hashable {
    /// The number of namespaces in the dump.
    public internal(set) var namespaces = 0
    /// The number of entries that were written.
    public internal(set) var entries: UInt64 = 0
    /// The number of entries that were left out, because their keys exist.
    public internal(set) var keptEntries: UInt64 = 0
}

extension Maintenance {
    /// Writes a dump of a namespace or of a space into a namespace of an open store.
    ///
    /// The root of the dump becomes `namespace`, and each namespace below the root one below `namespace`. Entries keep
    /// their time of writing, purgeability and expiry. They are encrypted if their new namespace's options say so, with
    /// its own key. Other keys of the namespace stay.
    ///
    /// Entries are committed in steps of about 1 MiB, buffered. After an error the steps before it stay: load the dump
    /// again, or remove the namespace. To cancel, throw from `read`.
    ///
    /// The namespace is made if it does not exist and the dump has entries for it. `read` returns the next piece of the
    /// dump, of any length. An empty piece ends the dump.
    ///
    /// - Throws: `.invalidArgument` with the line's number if a line is not valid or out of order, or if the dump is of
    ///   a whole store; the errors of setting a value and of `read`.
    @discardableResult
    public static func load(
        into namespace: Store.Namespace, options: NamespaceLoadOptions = NamespaceLoadOptions(),
        read: () throws(StorageError) -> [UInt8]
    ) throws(StorageError) -> NamespaceLoadReport {
        try load(options, read) { namespace.descendant($0) }
    }

    /// Writes a dump of a space into a space of an open store, like the load into a namespace: the namespaces of one
    /// user become those of another.
    ///
    /// - Throws: `.invalidArgument` also for a dump of a namespace.
    @discardableResult
    public static func load(
        into space: Store.Space, options: NamespaceLoadOptions = NamespaceLoadOptions(),
        read: () throws(StorageError) -> [UInt8]
    ) throws(StorageError) -> NamespaceLoadReport {
        try load(options, read) { (path) throws(ParseFailure) in
            guard let first = path.first else {
                throw ParseFailure("the dump is of a namespace; it can only be loaded into a namespace")
            }
            return space[first].descendant(path.dropFirst())
        }
    }

    private static func load(
        _ options: NamespaceLoadOptions, _ read: () throws(StorageError) -> [UInt8],
        _ target: @escaping (ArraySlice<String>) throws(ParseFailure) -> Store.Namespace
    ) throws(StorageError) -> NamespaceLoadReport {
        var loader = NamespaceLoader(options, target)
        var lines = LineSplitter()
        while true {
            let piece = try read()
            if piece.isEmpty { break }
            try lines.add(piece) { (line, number) throws(StorageError) in try loader.take(line, number: number) }
        }
        try lines.finish { (line, number) throws(StorageError) in try loader.take(line, number: number) }
        return try loader.finish()
    }
}
