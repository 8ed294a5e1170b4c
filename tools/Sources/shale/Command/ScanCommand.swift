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
              shale scan DIR packages --match 'lib*-dev/*' --keys-only
              shale scan DIR packages --limit 100 --after zsh/5.9-4/amd64
              shale scan DIR packages --count
              shale scan DIR countries --format ndjson | jq -r .value.name
              shale scan DIR orders --format csv > orders.csv

            \(KeyFormOptions.explanation)

            Each line is a key, a tab and the value. Line feeds, tabs and backslashes in
            them are written as \\n, \\t and \\\\. Encrypted values are shown only with
            --reveal, which needs the store's key.

            In a pattern, * stands for any characters, ? for one, and a backslash makes the
            next character an ordinary one. If --limit ends the list early, the option
            that continues it is printed on standard error.
            """)

    @OptionGroup var store: StoreArgument

    @OptionGroup var place: NamespaceArguments

    @Option(help: "Only keys that start with this.")
    var prefix: String?

    @Option(help: "Only keys from this one on.")
    var from: String?

    @Option(help: "Only keys before this one.")
    var to: String?

    @Option(help: "Only keys that come after this one in the order of the list.")
    var after: String?

    @Option(help: ArgumentHelp("Only keys that match this pattern as a whole.", valueName: "glob"))
    var match: String?

    @OptionGroup var form: KeyFormOptions

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

    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        if prefix != nil, from != nil || to != nil { throw ValidationError("--prefix excludes --from and --to") }
        if let limit, limit < 0 { throw ValidationError("--limit takes 0 or more") }
    }

    func run() throws {
        let path = try place.path()
        let range = try range()
        let store = try StoreAccess.open(self.store.path, .readOnly, keys, asks: reveal)
        let namespace = try store.existingNamespace(path)
        let keys = try inOrder(namespace.keys(in: range))
        if count {
            try ScanReport(namespace: path.text, user: path.user, count: try number(of: keys)).show(output)
        } else if keysOnly {
            try list(keys, path, key: { $0.bytes }) { EntryReport(key: $0.bytes) }
        } else {
            try list(try inOrder(namespace.entries(in: range)), path, key: { $0.key.bytes }) { entry in
                let info = try entry.info()
                let value = reveal || !info.isEncrypted ? try entry.object() : nil
                return EntryReport(key: entry.key.bytes, info, value)
            }
        }
        try store.close()
    }

    private var pattern: KeyPattern? { match.map { KeyPattern.glob($0) } }

    /// The range of keys that can be listed: a key outside of it is not in the named range or does not begin as the
    /// pattern does.
    private func range() throws -> KeyRange {
        try KeyArgument.range(prefix: prefix, from: from, to: to, form.form)
            .intersection(.prefix(pattern?.literalPrefix ?? []))
    }

    /// Returns the scan in the wanted order, after the named key.
    private func inOrder<Element>(_ scan: Scan<Element>) throws -> Scan<Element> {
        let ordered = reverse ? scan.reversed() : scan
        guard let after else { return ordered }
        return ordered.after(try KeyArgument.bytes(after, form.form))
    }

    private func number(of keys: Scan<EntryKey>) throws -> Int {
        guard let pattern else { return try limit.map { try keys.array(limit: $0).count } ?? keys.count() }
        var number = 0
        let cursor = keys.cursor()
        while number < limit ?? .max, let key = try cursor.next() {
            if try pattern.matches(key) { number += 1 }
        }
        return number
    }

    private func list<Element>(
        _ scan: Scan<Element>, _ path: NamespacePath, key: (Element) -> [UInt8],
        _ report: (Element) throws -> EntryReport
    ) throws {
        var writer = try RowWriter<EntryReport>(
            output.format, command: ScanReport.command, head: ScanReport.Head(namespace: path.text, user: path.user),
            list: "entries")
        let pattern = pattern
        let cursor = scan.cursor()
        var last: [UInt8]?
        var hasMore = false
        while !hasMore, let element = try cursor.next() {
            let found = key(element)
            guard try pattern?.matches(found) ?? true else { continue }
            hasMore = writer.count >= limit ?? .max
            if hasMore { break }
            try writer.write(try report(element))
            last = found
        }
        try writer.finish(after: hasMore ? last.map { ShownKey($0) } : nil)
        if hasMore, let last { noteContinuation(after: last) }
    }

    /// Tells how to list the rest. A JSON answer contains the key as its member `after`.
    private func noteContinuation(after key: [UInt8]) {
        guard !output.quiet, output.format != .json else { return }
        Terminal.note("shale: there are more entries: continue with --after=\(KeyArgument.text(key, form.form).quoted)")
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
