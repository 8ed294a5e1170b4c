import ArgumentParser
import ShaleInspection

struct InspectSegmentCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "segment",
        abstract: "Shows the parts and the blocks of a segment.",
        discussion: """
            EXAMPLES
              shale inspect segment DIR 15
              shale inspect segment DIR 0000000015.seg --verify
              shale inspect segment DIR 15 --format csv
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The segment's number, or its file's name.")
    var segment: FileNumberArgument

    @Flag(help: "Read and check every byte.")
    var verify = false

    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let segment = try StoreInspector(at: store.path).segment(self.segment.number, verifying: verify)
        try SegmentReport(segment).show(output)
        try segment.findings.conclude()
    }
}

struct SegmentReport: Report {
    static let command = "inspect segment"

    struct Part: Encodable {
        let name: String
        let offset: UInt64
        let storedBytes: UInt64
        let rawBytes: UInt64
    }

    struct Block: Encodable {
        let block: Int
        let offset: UInt64
        let storedBytes: UInt64
        let rawBytes: UInt64
        let codec: String
        let entries: Int
        let deletes: Int
        let purgeable: Int
        let expirable: Int
        let minSequence: UInt64
        let maxSequence: UInt64
        /// A key that is not below the block's last key.
        let separator: Shown

        enum CodingKeys: String, CodingKey, CaseIterable {
            case block, offset, storedBytes, rawBytes, codec, entries, deletes, purgeable, expirable
            case minSequence, maxSequence, separator
        }
    }

    let segment: SegmentRow?
    let writerVersion: String?
    let parts: [Part]
    let blocks: [Block]
    let findings: [FindingRow]

    init(_ inspected: InspectedSegment) {
        segment = inspected.facts.map { SegmentRow($0) }
        writerVersion = inspected.writerVersion
        parts = inspected.parts.map {
            Part(name: $0.name, offset: $0.offset, storedBytes: $0.storedBytes, rawBytes: $0.rawBytes)
        }
        blocks = inspected.blocks.map {
            Block(
                block: $0.number, offset: $0.offset, storedBytes: $0.storedBytes, rawBytes: $0.rawBytes,
                codec: $0.codec,
                entries: $0.entries, deletes: $0.deletes, purgeable: $0.purgeable, expirable: $0.expirable,
                minSequence: $0.minSequence, maxSequence: $0.maxSequence, separator: shownEncodedKey($0.separator))
        }
        findings = inspected.findings.rows
    }

    var table: RowTable { RowTable(columns: Block.CodingKeys.allCases.map(\.rawValue), blocks) }

    func text() -> Shown {
        guard let segment else { return "" }
        let head: Shown =
            "\(Figures.count(segment.entries, "entry", "entries")), \(Figures.bytes(segment.fileBytes)), keys "
            + "\(segment.smallestKey) … \(segment.largestKey), written by \(writerVersion ?? "?")"
        var layout = Table(["PART", "OFFSET", "STORED", "RAW"], rightAligned: [1, 2, 3])
        for part in parts {
            layout.add(Shown(part.name), Shown(part.offset), Shown(part.storedBytes), Shown(part.rawBytes))
        }
        var index = Table(
            ["BLOCK", "OFFSET", "STORED", "RAW", "CODEC", "ENTRIES", "SEQUENCES", "SEPARATOR"],
            rightAligned: [0, 1, 2, 3, 5])
        for block in blocks {
            index.add(
                Shown(block.block), Shown(block.offset), Shown(block.storedBytes), Shown(block.rawBytes),
                Shown(block.codec), Shown(block.entries), "\(block.minSequence) … \(block.maxSequence)", block.separator
            )
        }
        return [head, layout.text, index.text].joined(separator: "\n\n")
    }
}
