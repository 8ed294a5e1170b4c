import ArgumentParser
import Shale
import ShaleInspection

struct FindCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Lists every version of a key in every file.",
        discussion: """
            EXAMPLES
              shale find DIR orders 2026-0001
              shale find DIR orders 2026-0001 --json | jq '.versions[].file'

            \(KeyFormOptions.explanation)

            Versions are listed newest first, each with its state for a read at this
            moment: visible, hidden by a newer version, deleted, purged, truncated, expired,
            or in a file that the store does not refer to. The store is not opened, so the
            command works while the store is in use and on damaged files. Damaged files are
            named, and the command ends with code 2. Code 1 means that no file has a
            version.
            """)

    @OptionGroup var store: StoreArgument

    @OptionGroup var place: NamespaceArguments

    @Argument(help: "The key.")
    var key: String

    @OptionGroup var form: KeyFormOptions

    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let path = try place.path()
        let key = try KeyArgument.bytes(self.key, form.form)
        let inspector = try StoreInspector(at: store.path)
        let manifest = try inspector.manifest()
        guard let record = manifest.namespaces.first(where: { $0.name == path.catalogueName }) else {
            try manifest.findings.conclude()
            throw ToolFailure.notFound("there is no namespace \(path.text)")
        }
        let history = try inspector.history(of: key, in: record.id)
        let report = FindReport(
            namespace: path.text, user: path.user, versions: history.locations.map { FoundVersion($0) },
            findings: history.findings.rows)
        try report.show(output)
        try history.findings.conclude()
        if history.locations.isEmpty { throw ToolFailure.notFound("there is no version of this key in \(path.text)") }
    }
}

/// A version of a key, with its location and state.
struct FoundVersion: Encodable {
    let sequence: UInt64
    let state: String
    /// The operation: put or delete.
    let operation: String
    /// The codec; `encrypted` if the value does not show more.
    let type: String?
    /// The size of the value with its header.
    let bytes: Int
    let purgeable: Bool
    let expiresAt: String?
    let level: Int?
    let file: String
    let offset: UInt64
    let block: Int?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case sequence, state, operation, type, bytes, purgeable, expiresAt, level, file, offset, block
    }

    init(_ location: KeyHistory.Location) {
        let version = OperationRow(location.version, in: nil)
        sequence = version.sequence
        state = location.state.rawValue
        operation = version.operation
        type = version.type
        bytes = version.bytes
        purgeable = version.purgeable
        expiresAt = version.expiresAt
        level = location.level
        file = location.file
        offset = location.offset
        block = location.block
    }
}

struct FindReport: Report {
    static let command = "find"

    let namespace: String
    let user: String?
    let versions: [FoundVersion]
    let findings: [FindingRow]

    var table: RowTable { RowTable(columns: FoundVersion.CodingKeys.allCases.map(\.rawValue), versions) }

    func text() -> Shown {
        var table = Table(
            ["SEQUENCE", "STATE", "OPERATION", "TYPE", "BYTES", "LEVEL", "FILE", "OFFSET", "EXPIRES"],
            rightAligned: [0, 4, 7])
        for version in versions {
            table.add(
                Shown(version.sequence), Shown(version.state), Shown(version.operation), Shown(version.type ?? ""),
                Shown(version.bytes), version.level.map { "L\($0)" } ?? "", Shown(version.file), Shown(version.offset),
                Shown(version.expiresAt ?? ""))
        }
        return versions.isEmpty ? "" : table.text
    }
}
