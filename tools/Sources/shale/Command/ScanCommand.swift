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
              shale scan DIR countries --json | jq '.entries[].value.name'

            A line is a key, a tab and the value; line feeds, tabs and backslashes in them are written as \\n, \\t and \\\\.
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

    @Flag(help: "From the last key to the first.")
    var reverse = false

    @Option(help: "At most this many entries.")
    var limit: Int?

    @Flag(help: "Only keys.")
    var keysOnly = false

    @Flag(help: "Only how many there are.")
    var count = false

    @Option(help: "The user whose space the namespace is in; default: the common space.")
    var user: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if prefix != nil, from != nil || to != nil { throw ValidationError("--prefix excludes --from and --to") }
        if let limit, limit < 0 { throw ValidationError("--limit is negative") }
    }

    func run() throws {
        let path = try NamespacePath(namespace, user: user)
        let range = try keyRange()
        let store = try StoreAccess.open(self.store.path, .readOnly)
        let namespace = try store.existingNamespace(path)
        if count {
            try countEntries(namespace, range)
        } else if keysOnly {
            let keys = namespace.keys(in: range)
            try list(reverse ? keys.reversed() : keys) { ($0.bytes, nil) }
        } else {
            let entries = namespace.entries(in: range)
            try list(reverse ? entries.reversed() : entries) { ($0.key.bytes, (try $0.object(), try $0.info())) }
        }
        try store.close()
    }

    private func keyRange() throws -> KeyRange {
        if let prefix { return .prefix(try KeyArgument.bytes(prefix, isHex: hex)) }
        return KeyRange(
            lower: try from.map { .included(try KeyArgument.bytes($0, isHex: hex)) } ?? .unbounded,
            upper: try to.map { .excluded(try KeyArgument.bytes($0, isHex: hex)) } ?? .unbounded)
    }

    private func countEntries(_ namespace: Namespace, _ range: KeyRange) throws {
        let keys = namespace.keys(in: range)
        let number = try limit.map { try keys.array(limit: $0).count } ?? keys.count()
        try ScanReport(namespace: namespace.displayName, user: user, count: number).show(asJSON: output.json)
    }

    /// Writes the elements as they come: memory does not depend on how many there are.
    private func list<Element>(
        _ scan: Scan<Element>, _ entry: (Element) throws -> ([UInt8], (value: StoredValue, info: ValueInfo)?)
    ) throws {
        var text = Terminal.Output()
        var number = 0
        if output.json { try text.write(try ScanReport.opening(namespace: namespace, user: user)) }
        let elements = scan.makeIterator()
        while number < limit ?? .max, let element = elements.next() {
            let (key, found) = try entry(try element.get())
            if output.json {
                try text.write((number == 0 ? "\n" : ",\n") + EntryReport(key: key, found).json())
            } else {
                let value = try found.map { "\t" + singleLine(try ShownValue($0.value).text()) } ?? ""
                try text.write("\(singleLine(key: key))\(value)\n")
            }
            number += 1
        }
        if output.json { try text.write(ScanReport.closing(count: number)) }
        try text.flush()
    }
}

/// The result of a scan; its entries are written one by one between `opening` and `closing`.
struct ScanReport: Report {
    static let command = "scan"

    let namespace: String
    let user: String?
    let count: Int

    func text() throws -> String { String(count) }

    static func opening(namespace: String, user: String?) throws -> String {
        let owner = user.map { #""user":\#(JSONWriter.quoted($0)),"# } ?? ""
        return
            #"{"command":"scan","namespace":\#(JSONWriter.quoted(namespace)),\#(owner)"schema":\#(schemaVersion),"entries":["#
    }

    static func closing(count: Int) -> String { "\n],\"count\":\(count)}\n" }
}
