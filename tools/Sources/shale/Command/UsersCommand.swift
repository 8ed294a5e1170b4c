import ArgumentParser
import Shale

struct UsersCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "Lists the users that have namespaces, with their sizes.",
        discussion: """
            EXAMPLES
              shale users DIR
              shale users DIR --format ndjson | jq -r .user

            The namespaces of one user: "shale namespaces DIR --user USER". The number of
            entries counts stored versions, including dead ones.
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let store = try StoreAccess.open(self.store.path, .readOnly)
        // By bytes: equal strings may be different users.
        var rows: [[UInt8]: UserRow] = [:]
        for description in store.engine.namespaces {
            guard let user = NamespacePath(catalogueName: description.name)?.user else { continue }
            let statistics = try store.engine.statistics(of: description.id)
            rows[Array(user.utf8), default: UserRow(user: user)].add(statistics)
        }
        let users = store.userIDs.compactMap { rows[Array($0.utf8)] }
        try store.close()
        try UsersReport(users: users).show(output)
    }
}

struct UserRow: Encodable {
    let user: String
    var namespaces = 0
    var entries: UInt64 = 0
    var rawBytes: UInt64 = 0
    var storedBytes: UInt64 = 0

    enum CodingKeys: String, CodingKey, CaseIterable { case user, namespaces, entries, rawBytes, storedBytes }

    init(user: String) { self.user = user }

    mutating func add(_ statistics: NamespaceStatistics) {
        namespaces += 1
        entries += statistics.entries
        rawBytes += statistics.rawBytes
        storedBytes += statistics.storedBytes
    }
}

struct UsersReport: Report {
    static let command = "users"

    let users: [UserRow]

    var table: RowTable { RowTable(columns: UserRow.CodingKeys.allCases.map(\.rawValue), users) }

    func text() -> Shown {
        if users.isEmpty { return "" }
        var table = Table(["USER", "NAMESPACES", "ENTRIES", "RAW", "STORED"], rightAligned: [1, 2, 3, 4])
        for row in users {
            table.add(
                Shown(row.user), Figures.count(row.namespaces), Figures.count(row.entries),
                Figures.bytes(row.rawBytes), Figures.bytes(row.storedBytes))
        }
        return table.text
    }
}
