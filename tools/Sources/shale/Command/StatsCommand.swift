import ArgumentParser
import Shale
import ShaleInspection

struct StatsCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Shows a store's namespaces, levels, bytes on disk, amplification and cache.",
        discussion: """
            EXAMPLES
              shale stats DIR
              shale stats DIR --json | jq '.namespaces[] | {name, entries}'
              shale stats DIR --format csv --rows levels

            The cache belongs to the process that has the store open. That process publishes
            its statistics one second after opening and then once a second. If no process
            publishes any, "cache" and "owner" are null.
            """)

    /// The kind of rows for the formats with rows.
    enum Rows: String, ExpressibleByArgument, CaseIterable { case namespaces, levels, cache }

    @Option(help: "What a row of --format ndjson and csv describes.")
    var rows = Rows.namespaces

    @OptionGroup var store: StoreArgument
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let store = try StoreAccess.open(self.store.path, .readOnly)
        let report = try StatsReport(store, path: self.store.path, rows: rows)
        try store.close()
        try report.show(output)
    }
}

struct StatsReport: Report {
    static let command = "stats"

    struct Namespace: Encodable {
        /// `nil` if it is not a namespace of a program: one of the raw engine, or the one of the store's keys.
        let name: String?
        let user: String?
        let id: UInt32
        /// The number of stored versions, including dead ones that no compaction has removed yet.
        let entries: UInt64
        let deletes: UInt64
        let purgeable: UInt64
        let expirable: UInt64
        let rawBytes: UInt64
        let purgeableRawBytes: UInt64
        let storedBytes: UInt64

        enum CodingKeys: String, CodingKey, CaseIterable {
            case name, user, id, entries, deletes, purgeable, expirable, rawBytes, purgeableRawBytes, storedBytes
        }
    }

    struct Level: Encodable {
        let level: Int
        let segments: Int
        let entries: UInt64
        let deletes: UInt64
        let rawBytes: UInt64
        let storedBytes: UInt64

        enum CodingKeys: String, CodingKey, CaseIterable {
            case level, segments, entries, deletes, rawBytes, storedBytes
        }
    }

    struct Recovery: Encodable {
        let replayedBatches: UInt64
        let replayedBytes: UInt64
        let droppedBytes: UInt64
    }

    let namespaces: [Namespace]
    let levels: [Level]
    /// The bytes stored in segments.
    let storedBytes: UInt64
    /// The size of the directory, as `du` counts it.
    let allocatedBytes: UInt64
    let files: Int
    let lastSequence: UInt64
    let recovery: Recovery
    let amplification: Amplification
    let cache: Nullable<CacheFigures>
    let owner: Nullable<OwnerFigures>
    private let rows: StatsCommand.Rows

    enum CodingKeys: String, CodingKey {
        case namespaces, levels, storedBytes, allocatedBytes, files, lastSequence, recovery, amplification
        case cache, owner
    }

    init(_ store: Store, path: String, rows: StatsCommand.Rows) throws {
        self.rows = rows
        let engine = store.engine
        let statistics = engine.statistics
        namespaces = try engine.namespaces.map { description in
            let part = try engine.statistics(of: description.id)
            let path = NamespacePath(catalogueName: description.name)
            return Namespace(
                name: path?.text, user: path?.user, id: description.id.rawValue,
                entries: part.entries, deletes: part.deletes, purgeable: part.purgeable, expirable: part.expirable,
                rawBytes: part.rawBytes, purgeableRawBytes: part.purgeableRawBytes, storedBytes: part.storedBytes)
        }
        levels = statistics.levels.filter { $0.segments > 0 }.map {
            Level(
                level: $0.level, segments: $0.segments, entries: $0.entries, deletes: $0.deletes, rawBytes: $0.rawBytes,
                storedBytes: $0.storedBytes)
        }
        storedBytes = statistics.storedBytes
        let size = try DirectorySize(of: path)
        allocatedBytes = size.allocatedBytes
        files = size.files
        lastSequence = engine.recovery.lastSequence
        recovery = Recovery(
            replayedBatches: engine.recovery.replayedBatches, replayedBytes: engine.recovery.replayedBytes,
            droppedBytes: engine.recovery.droppedBytes)
        amplification = Amplification(statistics.levels)
        let running = try StoreInspector(at: path).runningStatistics()
        cache = Nullable(running.map { CacheFigures($0) })
        owner = Nullable(running.map { OwnerFigures($0) })
    }

    var table: RowTable {
        switch rows {
        case .namespaces: RowTable(columns: Namespace.CodingKeys.allCases.map(\.rawValue), namespaces)
        case .levels: RowTable(columns: Level.CodingKeys.allCases.map(\.rawValue), levels)
        case .cache:
            RowTable(columns: CacheFigures.CodingKeys.allCases.map(\.rawValue), cache.value.map { [$0] } ?? [])
        }
    }

    func text() -> Shown {
        var names = Table(
            ["NAMESPACE", "ENTRIES", "PURGEABLE", "RAW", "STORED"], rightAligned: [1, 2, 3, 4])
        for namespace in namespaces {
            names.add(
                Shown(namespace: namespace.name ?? "(engine id \(namespace.id))", user: namespace.user),
                Figures.count(namespace.entries),
                Figures.count(namespace.purgeable), Figures.bytes(namespace.rawBytes),
                Figures.bytes(namespace.storedBytes))
        }
        var tree = Table(["LEVEL", "SEGMENTS", "ENTRIES", "RAW", "STORED"], rightAligned: [1, 2, 3, 4])
        for level in levels {
            tree.add(
                "L\(level.level)", Figures.count(level.segments), Figures.count(level.entries),
                Figures.bytes(level.rawBytes), Figures.bytes(level.storedBytes))
        }
        var text = names.text
        if !levels.isEmpty { text += "\n\n" + tree.text }
        if !levels.isEmpty { text += "\n\n" + amplification.text }
        text += "\n\n\(Figures.count(files, "file")), \(Figures.bytes(allocatedBytes)) on disk"
        if recovery.replayedBatches > 0 {
            text += "; \(Figures.count(recovery.replayedBatches)) batches are in logs and not yet in segments"
        }
        text += "\n" + (cache.value?.text ?? CacheFigures.none)
        if let owner = owner.value { text += "\n" + owner.text }
        return text
    }
}

/// A value that is encoded as `null` if it is missing, instead of leaving the member out.
struct Nullable<Value: Encodable>: Encodable {
    let value: Value?

    init(_ value: Value?) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let value { try container.encode(value) } else { try container.encodeNil() }
    }
}
