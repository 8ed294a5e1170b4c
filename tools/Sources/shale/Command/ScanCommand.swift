import ArgumentParser
import Shale

struct ScanCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Lists entries in the order of their keys.",
        discussion: """
            EXAMPLES
              shale scan DIR packages --limit 20
              shale scan DIR packages --prefix lib --keys-only
              shale scan DIR packages --from bash --to bat --reverse
              shale scan DIR packages --count
              shale scan DIR countries --format ndjson | jq -r .value.name
              shale scan DIR orders --format csv > orders.csv

            Each line is a key, a tab and the value. Line feeds, tabs and backslashes in
            them are written as \\n, \\t and \\\\. Encrypted values are shown only with
            --reveal, which needs the store's key.
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The namespace; \"/\" separates levels, %2F stands for a slash in a name.")
    var namespace: String

    @Option(help: "Only keys that start with this.")
    var prefix: String?

    @Option(help: "Only keys from this one on.")
    var from: String?

    @Option(help: "Only keys before this one.")
    var to: String?

    @Flag(help: "The keys in these options are given as hexadecimal digits.")
    var hex = false

    @Flag(help: "List from the last key to the first.")
    var reverse = false

    @Option(help: "List at most this many entries.")
    var limit: Int?

    @Flag(help: "List only keys.")
    var keysOnly = false

    @Flag(help: "Print only the number of entries.")
    var count = false

    @Flag(help: "Show encrypted values.")
    var reveal = false

    @Option(help: "The user whose space the namespace is in; default: the common space.")
    var user: String?

    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        if prefix != nil, from != nil || to != nil { throw ValidationError("--prefix excludes --from and --to") }
        if let limit, limit < 0 { throw ValidationError("--limit takes 0 or more") }
    }

    func run() throws {
        let path = try NamespacePath(namespace, user: user)
        let range = try KeyArgument.range(prefix: prefix, from: from, to: to, isHex: hex)
        let store = try StoreAccess.open(self.store.path, .readOnly, keys, asks: reveal)
        let namespace = try store.existingNamespace(path)
        if count {
            let keys = namespace.keys(in: range)
            let number = try limit.map { try keys.array(limit: $0).count } ?? keys.count()
            try ScanReport(namespace: path.text, user: user, count: number).show(output)
        } else if keysOnly {
            let keys = namespace.keys(in: range)
            try list(reverse ? keys.reversed() : keys, path) { EntryReport(key: $0.bytes) }
        } else {
            let entries = namespace.entries(in: range)
            try list(reverse ? entries.reversed() : entries, path) { entry in
                let info = try entry.info()
                let value = reveal || !info.isEncrypted ? try entry.object() : nil
                return EntryReport(key: entry.key.bytes, info, value)
            }
        }
        try store.close()
    }

    private func list<Element>(
        _ scan: Scan<Element>, _ path: NamespacePath, _ report: (Element) throws -> EntryReport
    ) throws {
        var writer = try RowWriter<EntryReport>(
            output.format, command: ScanReport.command, head: ScanReport.Head(namespace: path.text, user: user),
            list: "entries")
        let elements = scan.makeIterator()
        while writer.count < limit ?? .max, let element = elements.next() {
            try writer.write(try report(try element.get()))
        }
        try writer.finish()
    }
}

/// The number of entries that a scan would list. ``RowWriter`` writes the entries themselves.
struct ScanReport: Report {
    static let command = "scan"

    /// The members that precede the entries.
    struct Head: Encodable {
        let namespace: String
        let user: String?
    }

    let namespace: String
    let user: String?
    let count: Int

    func text() throws -> Shown { Shown(count) }

    var table: RowTable { RowTable(columns: ["namespace", "user", "count"], [self]) }
}
