import ArgumentParser
import ShaleMaintenance

struct RepairCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Makes a new store from what is left of a damaged one.",
        discussion: """
            EXAMPLES
              shale repair DIR --into NEWDIR
              shale repair DIR --into NEWDIR --format json | jq .losses

            DIR is only read. NEWDIR holds only entries that were current in DIR. Entries
            that a lost part may have deleted or overwritten are left out and counted,
            unless --keep-uncertain is given. The command names file, offset and keys of
            every loss, and ends with code 2 if there is one. If DIR is sound, NEWDIR is a
            copy of it.
            """)

    @OptionGroup var store: StoreArgument

    @Option(
        help: ArgumentHelp("The new store's directory, which must be absent or empty.", valueName: "dir"),
        completion: .directory)
    var into: String

    @Flag(help: "Also keep entries that a lost part may have deleted or overwritten.")
    var keepUncertain = false

    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let progress = Progress("repair", isQuiet: output.quiet)
        var options = RepairOptions()
        options.keepsUncertain = keepUncertain
        let done: RepairReport
        do {
            Interruption.catchIt()
            done = try Maintenance.repair(
                storeAt: store.path, into: into, options: options, progress: progress.updateMaking)
        } catch {
            progress.erase()
            throw error
        }
        progress.erase()
        let report = RepairedReport(done, seconds: progress.elapsed.seconds)
        try report.show(output)
        if !done.isWhole { throw ExitCode(ExitStatus.corruption.rawValue) }
    }
}

/// The result of a repair.
struct RepairedReport: Report {
    static let command = "repair"

    let losses: [LossRow]
    let hasManifest: Bool
    let placedEntries: UInt64
    let uncertainEntries: UInt64
    let withheldEntries: UInt64
    /// The number of entries in namespaces whose names are lost, by the namespaces' numbers.
    let namelessEntries: [String: UInt64]
    let tornBytes: UInt64
    let storedBytes: UInt64
    let seconds: Double

    init(_ done: RepairReport, seconds: Double) {
        losses = done.losses.map { LossRow($0) }
        hasManifest = done.hasManifest
        placedEntries = done.placedEntries
        uncertainEntries = done.uncertainEntries
        withheldEntries = done.withheldEntries
        namelessEntries = Dictionary(
            uniqueKeysWithValues: done.namelessEntries.map { (String($0.key.rawValue), $0.value) })
        tornBytes = done.tornBytes
        storedBytes = done.storedBytes
        self.seconds = seconds
    }

    var table: RowTable { RowTable(columns: LossRow.columns, losses) }

    func text() -> Shown {
        var lines = losses.map(\.text)
        lines.append(
            "\(Figures.count(placedEntries, "entry", "entries")), \(Figures.bytes(storedBytes)), in "
                + "\(Figures.duration(.seconds(seconds))): "
                + (losses.isEmpty ? "nothing is lost" : "\(Figures.count(losses.count, "loss", "losses"))"))
        if !hasManifest {
            lines.append("the manifest is lost: it is not certain which entries were live, purged or dropped")
        }
        if withheldEntries > 0 {
            lines.append(
                "left out, because lost parts may have deleted or overwritten them: "
                    + "\(Figures.count(withheldEntries)); --keep-uncertain keeps them")
        }
        if uncertainEntries > 0 {
            lines.append("uncertain, because lost parts may have deleted them: \(Figures.count(uncertainEntries))")
        }
        for (number, count) in namelessEntries.sorted(by: { $0.key < $1.key }) {
            lines.append("namespace \(number) has lost its name: \(Figures.count(count, "entry", "entries"))")
        }
        return lines.joined(separator: "\n")
    }
}

/// A lost range.
struct LossRow: Encodable {
    static let columns = [
        "file", "offset", "bytes", "reason", "entries", "doubtedEntries", "firstNamespace", "firstKey",
        "firstKeyBase64", "lastNamespace", "lastKey", "lastKeyBase64",
    ]

    let file: String
    let offset: UInt64
    let bytes: UInt64?
    let reason: String
    let entries: UInt64?
    let doubtedEntries: UInt64
    let firstNamespace: UInt32?
    let firstKey: String?
    let firstKeyBase64: String?
    let lastNamespace: UInt32?
    let lastKey: String?
    let lastKeyBase64: String?
    /// The loss for people. Not encoded.
    let text: Shown

    enum CodingKeys: String, CodingKey {
        case file, offset, bytes, reason, entries, doubtedEntries, firstNamespace, firstKey, firstKeyBase64
        case lastNamespace, lastKey, lastKeyBase64
    }

    init(_ loss: RepairLoss) {
        file = loss.file
        offset = loss.offset
        bytes = loss.bytes
        reason = loss.reason
        entries = loss.entries
        doubtedEntries = loss.doubtedEntries
        let first = loss.keys.map { ShownKey($0.firstKey) }
        let last = loss.keys.map { ShownKey($0.lastKey) }
        firstNamespace = loss.keys?.firstNamespace.rawValue
        firstKey = first?.text
        firstKeyBase64 = first?.base64
        lastNamespace = loss.keys?.lastNamespace.rawValue
        lastKey = last?.text
        lastKeyBase64 = last?.base64
        text = Self.text(of: loss)
    }

    private static func text(of loss: RepairLoss) -> Shown {
        var line: Shown = "\(loss.file) at \(loss.offset)"
        if let bytes = loss.bytes { line += ", \(Figures.bytes(bytes))" }
        line += ": \(message: loss.reason)"
        if let entries = loss.entries {
            line += entries == 0 ? "; no entry is lost" : "; \(Figures.count(entries, "entry", "entries"))"
        }
        if let keys = loss.keys, loss.entries != 0 {
            line += " from \(keys.firstNamespace.description) \(Shown(key: keys.firstKey))"
            line += " to \(keys.lastNamespace.description) \(Shown(key: keys.lastKey))"
        } else if loss.keys == nil, loss.entries != 0 {
            line += "; it may have concerned any key"
        }
        if loss.doubtedEntries > 0 { line += "; \(Figures.count(loss.doubtedEntries)) older entries are in doubt" }
        return line
    }
}
