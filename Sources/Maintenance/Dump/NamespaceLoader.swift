import Shale
import ShaleBase
import ShaleEngine

/// Writes the lines of a dump of namespaces into an open store. Used by one thread.
struct NamespaceLoader: ~Copyable {
    /// The bytes of keys and values that are committed together.
    private static let stepBytes = 1 << 20

    /// Returns the namespace that a path below the dump's root is loaded into.
    private let target: (ArraySlice<String>) throws(ParseFailure) -> Store.Namespace
    private let options: NamespaceLoadOptions
    private var reader = DumpReader()
    private var root: DumpLine.StoreLine?
    private var namespace: Store.Namespace?
    private var lastID: Int64 = 0
    private var lastKey: [UInt8]?
    private var content: ContentCheck?
    private var announced: Int64?
    private var entries: [DumpedEntry] = []
    private var entryBytes = 0
    private var readEntries: UInt64 = 0
    private(set) var report = NamespaceLoadReport()

    init(
        _ options: NamespaceLoadOptions,
        _ target: @escaping (ArraySlice<String>) throws(ParseFailure) -> Store.Namespace
    ) {
        self.options = options
        self.target = target
    }

    mutating func take(_ line: Bytes, number: UInt64) throws(StorageError) {
        let begun: DumpLine.NamespaceLine?
        do throws(ParseFailure) {
            begun = try parse(line)
        } catch {
            // The error contains nothing of the line.
            throw .invalid("line \(number) of the dump: \(error.reason)")
        }
        if let begun { try begin(begun) }
        if entryBytes >= NamespaceLoader.stepBytes { try commit() }
    }

    /// Processes a line. Returns that of a namespace, after a check.
    private mutating func parse(_ line: Bytes) throws(ParseFailure) -> DumpLine.NamespaceLine? {
        switch try reader.read(line) {
        case .store(let line): try begin(line)
        case .namespace(let line):
            try check(line)
            return line
        case .end(let count): announced = count
        case .entry(let entry): try add(entry)
        }
        return nil
    }

    private mutating func begin(_ line: DumpLine.StoreLine) throws(ParseFailure) {
        guard root == nil else { throw ParseFailure("a second dump begins") }
        guard line.version == DumpFormat.partVersion, line.root != nil else {
            throw ParseFailure(
                line.version == DumpFormat.version
                    ? "the dump is of a whole store; it can only be loaded into a new directory"
                    : "the dump has version \(line.version); this program reads version \(DumpFormat.partVersion)")
        }
        root = line
    }

    private mutating func check(_ line: DumpLine.NamespaceLine) throws(ParseFailure) {
        guard let root, let path = root.root else {
            throw ParseFailure("the first line of a dump must have the member shaleDump")
        }
        guard line.id > lastID, announced == nil else { throw ParseFailure("namespaces are out of order") }
        lastID = line.id
        guard line.name == nil, line.user.map({ Array($0.utf8) }) == root.user.map({ Array($0.utf8) }),
            line.path.count >= path.count, zip(line.path, path).allSatisfy({ Array($0.utf8) == Array($1.utf8) })
        else { throw ParseFailure("a namespace is not below the root of the dump") }
        var content: ContentCheck?
        try DumpLoader.check { () throws(StorageError) in
            content = try ContentCheck(name: line.catalogueName, options: line.options)
        }
        self.content = content
        // Entries before this line belong to another namespace, and are committed first.
        _ = try target(line.path.dropFirst(path.count))
    }

    private mutating func begin(_ line: DumpLine.NamespaceLine) throws(StorageError) {
        try commit()
        lastKey = nil
        let path = line.path.dropFirst(root?.root?.count ?? 0)
        let found: Store.Namespace
        do throws(ParseFailure) { found = try target(path) } catch { throw .invalid(error.reason) }
        if options.setsOptions { try found.adopt(options: line.options) }
        namespace = found
        report.namespaces += 1
    }

    private mutating func add(_ entry: DumpLine.EntryLine) throws(ParseFailure) {
        guard namespace != nil, let content else { throw ParseFailure("an entry precedes its namespace") }
        guard entry.key.count <= FormatLimits.keyBytes, entry.value.count <= FormatLimits.valueBytes else {
            throw ParseFailure(
                "a key is over the limit of \(FormatLimits.keyBytes) bytes, or a value over \(FormatLimits.valueBytes)")
        }
        let key = entry.key.array()
        guard lastKey.map({ $0.lexicographicallyPrecedes(key) }) ?? true, announced == nil else {
            throw ParseFailure("keys are out of order")
        }
        lastKey = key
        try DumpLoader.check { () throws(StorageError) in try content.check(entry.value) }
        readEntries += 1
        let item = DumpedEntry(
            key: key, envelope: entry.value.array(),
            options: PutOptions(isPurgeable: entry.isPurgeable, expiresAtMilliseconds: entry.expiry))
        entries.append(item)
        entryBytes += item.byteCount
    }

    private mutating func commit() throws(StorageError) {
        guard let namespace, !entries.isEmpty else { return }
        let count = try namespace.load(entries, keepsExisting: options.keepsExisting)
        report.entries += UInt64(count)
        report.keptEntries += UInt64(entries.count - count)
        entries.removeAll(keepingCapacity: true)
        entryBytes = 0
    }

    mutating func finish() throws(StorageError) -> NamespaceLoadReport {
        guard root != nil, let announced else {
            throw .invalid("the dump is cut short: its last line, with the member end, is missing")
        }
        guard UInt64(exactly: announced) == readEntries else {
            throw .invalid("the last line announces \(announced) entries, but the dump has \(readEntries)")
        }
        try commit()
        return report
    }
}
