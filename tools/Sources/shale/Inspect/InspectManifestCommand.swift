import ArgumentParser
import Shale
import ShaleInspection

struct InspectManifestCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "manifest",
        abstract: "Lists the edits of the manifest and the resulting state.",
        discussion: """
            EXAMPLES
              shale inspect manifest DIR
              shale inspect manifest DIR --json | jq '.segments[] | {level, entries}'
              shale inspect manifest DIR --format csv
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let manifest = try StoreInspector(at: store.path).manifest()
        try ManifestReport(manifest).show(output)
        try manifest.findings.conclude()
    }
}

/// A fact of the manifest.
struct FactRow: Encodable {
    /// The offset of the edit's record. Facts of one offset take effect together.
    let offset: UInt64
    let fact: String
    let number: UInt64?
    let level: Int?
    let toLevel: Int?
    let namespace: String?
    let namespaceID: UInt32?
    let entries: UInt64?
    let fileBytes: UInt64?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case offset, fact, number, level, toLevel, namespace, namespaceID, entries, fileBytes
    }

    init(_ fact: ManifestFact, at offset: UInt64, _ names: NamespaceNames) {
        self.offset = offset
        self.fact = fact.name
        number = fact.number
        level = fact.level
        toLevel = fact.targetLevel
        namespaceID = fact.namespace?.rawValue
        namespace =
            fact.namespaceName.flatMap { NamespacePath(catalogueName: $0)?.text }
            ?? fact.namespace.flatMap { names.name(of: $0) }
        entries = fact.segment?.entries
        fileBytes = fact.segment?.fileBytes
    }
}

/// A segment with its metadata in the manifest.
struct SegmentRow: Encodable {
    let number: UInt64
    let level: Int?
    let fileBytes: UInt64
    let entries: UInt64
    let deletes: UInt64
    let purgeable: UInt64
    let rawBytes: UInt64
    let blocks: Int
    let minSequence: UInt64
    let maxSequence: UInt64
    let smallestKey: Shown
    let largestKey: Shown

    init(_ facts: SegmentFacts) {
        number = facts.number
        level = facts.level
        fileBytes = facts.fileBytes
        entries = facts.entries
        deletes = facts.deletes
        purgeable = facts.purgeable
        rawBytes = facts.rawBytes
        blocks = facts.blocks
        minSequence = facts.minSequence
        maxSequence = facts.maxSequence
        smallestKey = shownEncodedKey(facts.smallestKey)
        largestKey = shownEncodedKey(facts.largestKey)
    }
}

/// Returns an encoded key as `id/key`: the namespace's id and the key.
func shownEncodedKey(_ key: [UInt8]) -> Shown {
    let id = key.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return "\(id)/\(Shown(key: Array(key.dropFirst(4))))"
}

struct ManifestReport: Report {
    static let command = "inspect manifest"

    let file: String
    let storeID: String
    let facts: [FactRow]
    let segments: [SegmentRow]
    let lastSequence: UInt64
    let logFloor: UInt64
    let newestLog: UInt64
    let nextFileNumber: UInt64
    let findings: [FindingRow]

    init(_ manifest: InspectedManifest) {
        let names = NamespaceNames(manifest)
        file = manifest.file
        storeID = manifest.storeID
        facts = manifest.edits.flatMap { edit in edit.facts.map { FactRow($0, at: edit.offset, names) } }
        segments = manifest.segments.map { SegmentRow($0) }
        lastSequence = manifest.lastSequence
        logFloor = manifest.logFloor
        newestLog = manifest.newestLog
        nextFileNumber = manifest.nextFileNumber
        findings = manifest.findings.rows
    }

    var table: RowTable { RowTable(columns: FactRow.CodingKeys.allCases.map(\.rawValue), facts) }

    func text() -> Shown {
        var edits = Table(
            ["OFFSET", "FACT", "NUMBER", "LEVEL", "NAMESPACE", "ENTRIES", "SIZE"], rightAligned: [0, 2, 5, 6])
        for fact in facts {
            let level = [fact.level, fact.toLevel].compactMap { $0.map { "L\($0)" as Shown } }.joined(separator: " → ")
            edits.add(
                Shown(fact.offset), Shown(fact.fact), fact.number.map { Shown($0) } ?? "", level,
                Shown(fact.namespace ?? fact.namespaceID.map { "(id \($0))" } ?? ""),
                fact.entries.map { Figures.count($0) } ?? "", fact.fileBytes.map { Figures.bytes($0) } ?? "")
        }
        var tree = Table(
            ["SEGMENT", "LEVEL", "SIZE", "ENTRIES", "BLOCKS", "SEQUENCES", "KEYS"], rightAligned: [0, 2, 3, 4])
        for segment in segments {
            tree.add(
                Shown(segment.number), segment.level.map { "L\($0)" } ?? "", Figures.bytes(segment.fileBytes),
                Figures.count(segment.entries), Figures.count(segment.blocks),
                "\(segment.minSequence) … \(segment.maxSequence)", "\(segment.smallestKey) … \(segment.largestKey)")
        }
        let head: Shown =
            "\(file) of store \(storeID)\nlast sequence \(lastSequence), logs from \(logFloor) to \(newestLog), "
            + "next file \(nextFileNumber)"
        return [head, edits.text, segments.isEmpty ? nil : tree.text].compactMap { $0 }.joined(separator: "\n\n")
    }
}
