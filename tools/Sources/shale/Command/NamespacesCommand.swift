import ArgumentParser
import Shale

struct NamespacesCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "namespaces",
        abstract: "Lists the namespaces, with their options and sizes.",
        discussion: """
            EXAMPLES
              shale namespaces DIR
              shale namespaces DIR --user u1
              shale namespaces DIR --format csv
            """)

    @OptionGroup var store: StoreArgument

    @Option(
        help: "Only namespaces of this user's space.",
        completion: StoreCompletion.users)
    var user: String?

    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let store = try StoreAccess.open(self.store.path, .readOnly)
        let rows = try store.engine.namespaces.compactMap { description -> NamespaceRow? in
            guard let path = NamespacePath(catalogueName: description.name), user == nil || path.user == user else {
                return nil
            }
            return try NamespaceRow(path, store.namespace(path), try store.engine.statistics(of: description.id))
        }
        try store.close()
        try NamespacesReport(namespaces: rows.sorted { ($0.user ?? "", $0.name) < ($1.user ?? "", $1.name) }).show(
            output)
    }
}

struct NamespaceRow: Encodable {
    let name: String
    let user: String?
    let purgeable: Bool
    let encrypted: Bool
    let versionScoped: Bool
    let timeToLiveSeconds: Double?
    let maximumAgeSeconds: Double?
    let maximumBytes: Int64?
    let entries: UInt64
    let rawBytes: UInt64
    let storedBytes: UInt64

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, user, purgeable, encrypted, versionScoped, timeToLiveSeconds, maximumAgeSeconds, maximumBytes
        case entries, rawBytes, storedBytes
    }

    init(_ path: NamespacePath, _ namespace: Store.Namespace, _ statistics: NamespaceStatistics) throws {
        let options = try namespace.options
        name = path.text
        user = path.user
        purgeable = options.isPurgeable
        encrypted = options.isEncrypted
        versionScoped = options.isVersionScoped
        timeToLiveSeconds = options.timeToLive?.seconds
        maximumAgeSeconds = options.purgePolicy.maximumAge?.seconds
        maximumBytes = options.purgePolicy.maximumBytes
        entries = statistics.entries
        rawBytes = statistics.rawBytes
        storedBytes = statistics.storedBytes
    }

    /// The properties in which it differs from an ordinary namespace, for people.
    var traits: Shown {
        var words: [Shown] = []
        if purgeable { words.append("purgeable") }
        if encrypted { words.append("encrypted") }
        if versionScoped { words.append("version-scoped") }
        if let timeToLiveSeconds { words.append("lives \(Figures.duration(.seconds(timeToLiveSeconds)))") }
        if let maximumAgeSeconds { words.append("purged after \(Figures.duration(.seconds(maximumAgeSeconds)))") }
        if let maximumBytes { words.append("purged above \(Figures.bytes(maximumBytes))") }
        return words.joined(separator: ", ")
    }
}

struct NamespacesReport: Report {
    static let command = "namespaces"

    let namespaces: [NamespaceRow]

    var table: RowTable { RowTable(columns: NamespaceRow.CodingKeys.allCases.map(\.rawValue), namespaces) }

    func text() -> Shown {
        var table = Table(["NAMESPACE", "USER", "ENTRIES", "RAW", "STORED", "OPTIONS"], rightAligned: [2, 3, 4])
        for row in namespaces {
            table.add(
                Shown(row.name), Shown(row.user ?? ""), Figures.count(row.entries),
                Figures.bytes(row.rawBytes),
                Figures.bytes(row.storedBytes), row.traits)
        }
        return table.text
    }
}
