import ArgumentParser
import Shale
import ShaleInspection

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Shows the contents of a store's files with their byte ranges.",
        discussion: """
            EXAMPLES
              shale inspect manifest DIR
              shale inspect wal DIR
              shale inspect wal DIR 12 --format ndjson
              shale inspect segment DIR 15 --verify
              shale inspect block DIR 15 0

            Files are read without opening the store, so the commands work while the store
            is in use and on damaged files. Intact parts are shown. Damage is named with
            file and offset on standard error, and the command ends with code 2.
            """,
        subcommands: [
            InspectManifestCommand.self, InspectLogCommand.self, InspectSegmentCommand.self, InspectBlockCommand.self,
        ])
}

/// The number of a file in an argument: 15, or the file's name.
struct FileNumberArgument: ExpressibleByArgument {
    let number: UInt64

    init?(argument: String) {
        let name = argument.split(separator: "/").last ?? ""
        let digits = name.hasSuffix(".wal") || name.hasSuffix(".seg") ? name.dropLast(4) : name
        guard let number = UInt64(digits) else { return nil }
        self.number = number
    }
}

struct InspectLogCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "wal",
        abstract: "Lists the operations in the write-ahead logs.",
        discussion: """
            EXAMPLES
              shale inspect wal DIR
              shale inspect wal DIR 12 --format ndjson | jq 'select(.operation == "put")'

            Each line is the record's offset, the sequence, the operation, the namespace,
            the key, and the type and size of the value. Operations with one offset belong
            to one batch. Without a number the command lists all log files, also those that
            the store no longer needs.
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The log's number, or its file's name.")
    var log: FileNumberArgument?

    @OptionGroup(title: "Output") var output: OutputOptions

    struct Head: Encodable { let logs: [UInt64] }

    func run() throws {
        let inspector = try StoreInspector(at: store.path)
        let manifest = try inspector.manifest()
        let names = NamespaceNames(manifest)
        let numbers = try log.map { [$0.number] } ?? inspector.logNumbers()
        var findings: [Finding] = []
        var rows = try RowWriter<OperationRow>(
            output.format, command: "inspect wal", head: Head(logs: numbers), list: "operations")
        for number in numbers {
            let log = try inspector.log(number) { record in
                for operation in record.operations {
                    try rows.write(OperationRow(operation, in: names, offset: record.offset))
                }
            }
            // A missing log may just have been removed by the store's owner, so it is no loss.
            findings += log.findings.filter { self.log != nil || $0.kind != .missing }
            if !output.quiet { Terminal.note(Self.summary(log)) }
        }
        if numbers.isEmpty, !output.quiet { Terminal.note("there is no log: all entries are in segments") }
        try rows.finish(findings: findings.rows)
        try findings.conclude()
    }

    private static func summary(_ log: InspectedLog) -> Shown {
        let name = StoreInspector.logName(log.number)
        guard log.hasHeader else { return "\(name): prepared, not used yet" }
        return
            "\(name): \(Figures.count(log.records, "batch", "batches")), "
            + "\(Figures.count(log.operations, "operation")), ends at \(log.endOffset), durable up to "
            + "\(log.syncedOffset)"
    }
}

struct InspectBlockCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "block",
        abstract: "Lists the versions in a block of a segment.",
        discussion: """
            EXAMPLES
              shale inspect block DIR 15 0
              shale inspect block DIR 15 0 --json

            Each line is the sequence, the operation, the namespace, the key, and the type
            and size of the value.
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The segment's number, or its file's name.")
    var segment: FileNumberArgument

    @Argument(help: "The block's number, from 0.")
    var block: Int

    @OptionGroup(title: "Output") var output: OutputOptions

    struct Head: Encodable {
        let segment: UInt64
        let block: Int
    }

    func run() throws {
        let inspector = try StoreInspector(at: store.path)
        let names = Self.names(inspector)
        let versions = try inspector.block(block, ofSegment: segment.number)
        var rows = try RowWriter<OperationRow>(
            output.format, command: "inspect block", head: Head(segment: segment.number, block: block),
            list: "versions")
        for version in versions { try rows.write(OperationRow(version, in: names)) }
        try rows.finish()
    }

    /// Returns the names of namespaces, for readability only: a block can be inspected without the manifest.
    private static func names(_ inspector: StoreInspector) -> NamespaceNames? {
        do {
            return NamespaceNames(try inspector.manifest())
        } catch {
            Terminal.note("shale: the names of namespaces can't be read: \(message: error.description)")
            return nil
        }
    }
}

/// A version of a key as stored in a log or a block.
struct OperationRow: ListedRow {
    /// The offset of the log's record; `nil` in blocks.
    let offset: UInt64?
    let sequence: UInt64
    /// The operation: put or delete.
    let operation: String
    /// `nil` for a namespace that is not in the catalogue.
    let namespace: String?
    let namespaceID: UInt32
    let key: String?
    let keyBase64: String?
    /// The codec; `encrypted` if the value does not show more.
    let type: String?
    /// The size of the value with its header.
    let bytes: Int
    let purgeable: Bool
    let expiresAt: String?
    private let keyBytes: [UInt8]

    enum CodingKeys: String, CodingKey, CaseIterable {
        case offset, sequence, operation, namespace, namespaceID, key, keyBase64, type, bytes, purgeable, expiresAt
    }

    static var columns: [String] { CodingKeys.allCases.map(\.rawValue) }

    init(_ version: StoredVersion, in names: NamespaceNames?, offset: UInt64? = nil) {
        self.offset = offset
        sequence = version.sequence
        operation = version.isDelete ? "delete" : "put"
        namespace = names?.name(of: version.namespace)
        namespaceID = version.namespace.rawValue
        keyBytes = version.key
        let shown = ShownKey(version.key)
        key = shown.text
        keyBase64 = shown.base64
        type = version.isDelete || version.valueFile != nil ? nil : Self.type(of: version.value)
        bytes = version.valueByteCount
        purgeable = version.isPurgeable
        expiresAt = version.expiresAtMilliseconds.map { timestamp(milliseconds: $0) }
    }

    /// Returns the type by the first byte of an envelope: Shale.docc, "Value envelope".
    private static func type(of value: [UInt8]) -> String? {
        guard let first = value.first, value.count >= 2 else { return nil }
        return first == 0 ? "encrypted" : ValueCodec(rawValue: first).description
    }

    func line() -> Shown {
        let place = offset.map { "\($0)\t" as Shown } ?? ""
        let name = namespace ?? "(id \(namespaceID))"
        let flags: Shown = (purgeable ? " purgeable" : "") + (expiresAt.map { " expires \($0)" } ?? "")
        let value: Shown = operation == "delete" ? "" : "\t\(type ?? "raw") \(Figures.count(bytes, "byte"))\(flags)"
        return "\(place)\(sequence)\t\(operation)\t\(name)\t\(Shown(key: keyBytes))\(value)"
    }
}

/// The names of namespaces by their ids, in the form that people use.
struct NamespaceNames {
    private let names: [UInt32: String]

    init(_ manifest: InspectedManifest) {
        let pairs = manifest.namespaces.compactMap { record in
            NamespacePath(catalogueName: record.name).map { path in
                (record.id.rawValue, (path.user.map { "\($0):" } ?? "") + path.text)
            }
        }
        names = Dictionary(pairs) { first, _ in first }
    }

    func name(of id: NamespaceID) -> String? { names[id.rawValue] }
}
