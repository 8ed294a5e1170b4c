import ArgumentParser
import Shale

struct TailCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Prints the changes of a store, also those of another process.",
        discussion: """
            EXAMPLES
              shale tail DIR
              shale tail DIR --follow
              shale tail DIR --follow --from 4711 --namespace orders
              shale tail DIR --follow | jq -r 'select(.kind == "set") | .key'

            Prints a line of NDJSON for each change in the order of sequences, beside the
            process that has the store open. A line has the sequence, the kind (set,
            removed, purged, truncated, dropped, optionsChanged), the namespace and the
            key. Values are not printed, and keys are never encrypted.

            Without --from the list begins with the oldest change in the store's logs, and
            with --follow alone with the next one. To continue later, give the last
            "through" that was printed to --from: it is the end of a batch, which is
            written as a whole. Changes that are in no log any more are one line of the kind
            "gap", from its sequence through its "through". Read the entries anew then.

            ^C ends the command with code 0.
            """)

    @OptionGroup var store: StoreArgument

    @Option(help: ArgumentHelp("Print the changes after this one.", valueName: "sequence"))
    var from: UInt64?

    @Option(
        help: "Only this namespace and those below it; may be repeated.", completion: StoreCompletion.namespaces)
    var namespace: [String] = []

    @OptionGroup var space: SpaceOption

    @Flag(help: "Wait for more changes, until interrupted.")
    var follow = false

    @Option(help: "The seconds between two looks with --follow, 0.01 to 3600.")
    var interval = 0.1

    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        guard 0.01...3600 ~= interval else { throw ValidationError("--interval takes 0.01 to 3600") }
        if namespace.isEmpty, space.user != nil { throw ValidationError("--user needs a --namespace") }
        if output.format == .json { throw ValidationError("tail can't print one JSON object: it prints ndjson or csv") }
    }

    func run() throws {
        Interruption.catchIt()
        let paths = try namespace.map { try NamespacePath($0, user: space.user) }
        let changes = try changes()
        let clock = ContinuousClock()
        var writer = try RowWriter<ChangeRow>(
            output.format == .csv ? .csv : .ndjson, command: "tail", head: ChangeRow.Head(), list: "changes")
        var isFirst = true
        while !Interruption.hasCome {
            guard let batch = try changes.nextAvailable() else {
                try writer.flush()
                guard follow else { break }
                Interruption.wait(until: clock.now + .seconds(interval))
                continue
            }
            // A gap before a beginning that nobody named is the rule, not a finding.
            let isUnasked = isFirst && from == nil && batch.isGap
            isFirst = false
            if !isUnasked { try write(batch, paths, &writer) }
        }
        try writer.finish()
    }

    /// Returns the changes without the opened store, whose state would keep files.
    private func changes() throws -> Store.ChangeLog {
        try StoreAccess.open(store.path, .readOnly).changeLog(after: from ?? (follow ? nil : 0))
    }

    private func write(
        _ batch: Store.ChangeBatch, _ paths: [NamespacePath], _ writer: inout RowWriter<ChangeRow>
    ) throws {
        if batch.isGap { return try writer.write(ChangeRow(gap: batch.sequences)) }
        for change in batch.changes {
            let isWanted = paths.contains { path in
                path.user == change.userID && change.path.starts(with: path.components)
            }
            if isWanted || paths.isEmpty { try writer.write(ChangeRow(change, through: batch.sequences.upperBound)) }
        }
    }
}

/// One change for output.
private struct ChangeRow: ListedRow {
    struct Head: Encodable {}

    let sequence: UInt64
    /// The end of the change's batch, or of the gap.
    let through: UInt64
    let kind: String
    let user: String?
    let namespace: String?
    let key: String?
    let keyBase64: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case sequence, through, kind, user, namespace, key, keyBase64
    }

    static var columns: [String] { CodingKeys.allCases.map(\.rawValue) }

    init(_ change: Store.LoggedChange, through: UInt64) {
        sequence = change.sequence
        self.through = through
        kind = "\(change.kind)"
        user = change.userID
        namespace = NamespacePath(user: change.userID, components: change.path).text
        let shown = change.key.map { ShownKey($0.bytes) }
        key = shown?.text
        keyBase64 = shown?.base64
    }

    init(gap sequences: ClosedRange<UInt64>) {
        sequence = sequences.lowerBound
        through = sequences.upperBound
        kind = "gap"
        user = nil
        namespace = nil
        key = nil
        keyBase64 = nil
    }

    func line() throws -> Shown { try jsonText(self) }
}
