import ArgumentParser
import Shale
import ShaleEngine

extension LargestEntries.Order: ExpressibleByArgument {}

struct BigCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "big",
        abstract: "Lists the entries with the largest values or keys.",
        discussion: """
            EXAMPLES
              shale big DIR
              shale big DIR packages --limit 50
              shale big DIR --by key --format csv

            Reads every entry. Sizes are those before compression. The size of a value
            includes its header of two bytes or more.
            """)

    @OptionGroup var store: StoreArgument

    @Argument(
        help: "Only this namespace; \"/\" separates levels.",
        completion: StoreCompletion.namespaces)
    var namespace: String?

    @Option(help: "Order by the size of: value or key.")
    var by = LargestEntries.Order.value

    @Option(help: "The number of entries to list, 1 to 10000.")
    var limit = 20

    @Option(
        help: "Only namespaces of this user's space.",
        completion: StoreCompletion.users)
    var user: String?

    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        guard 1...10_000 ~= limit else { throw ValidationError("--limit takes 1 to 10000") }
    }

    func run() throws {
        let path = try namespace.map { try NamespacePath($0, user: user) }
        let store = try StoreAccess.open(self.store.path, .readOnly)
        if let path { _ = try store.existingNamespace(path) }
        let progress = Progress("big", isQuiet: output.quiet)
        var scan = LiveScan(keeping: limit, by: by)
        var names: [NamespaceID: NamespacePath] = [:]
        for description in store.engine.namespaces {
            guard let name = NamespacePath(catalogueName: description.name), path == nil || name == path,
                user == nil || name.user == user
            else { continue }
            names[description.id] = name
            try scan.add(description.id, of: store.engine) { count in
                progress.update(fraction: nil, "\(Figures.count(count)) entries")
            }
        }
        progress.erase()
        try store.close()
        try BigReport(
            by: by.rawValue, scanned: scan.total.entries,
            entries: scan.largest.entries.map { BigEntry($0, names[$0.namespace]) }
        ).show(output)
    }
}

struct BigEntry: Encodable {
    let namespace: String?
    let user: String?
    let key: String?
    let keyBase64: String?
    let keyBytes: Int
    let valueBytes: Int
    let purgeable: Bool
    private let rawKey: [UInt8]

    enum CodingKeys: String, CodingKey, CaseIterable {
        case namespace, user, key, keyBase64, keyBytes, valueBytes, purgeable
    }

    init(_ entry: LargestEntries.Entry, _ path: NamespacePath?) {
        namespace = path?.text
        user = path?.user
        rawKey = entry.key
        let shown = ShownKey(entry.key)
        key = shown.text
        keyBase64 = shown.base64
        keyBytes = entry.key.count
        valueBytes = entry.valueBytes
        purgeable = entry.isPurgeable
    }

    var shownKey: Shown { Shown(key: rawKey) }
}

struct BigReport: Report {
    static let command = "big"

    let by: String
    /// The number of entries examined.
    let scanned: UInt64
    let entries: [BigEntry]

    var table: RowTable { RowTable(columns: BigEntry.CodingKeys.allCases.map(\.rawValue), entries) }

    func text() -> Shown {
        var table = Table(["VALUE", "KEY", "NAMESPACE", "KEY"], rightAligned: [0, 1])
        for entry in entries {
            table.add(
                Figures.bytes(entry.valueBytes), Figures.bytes(entry.keyBytes),
                Shown(namespace: entry.namespace ?? "", user: entry.user), entry.shownKey)
        }
        return table.text
    }
}
