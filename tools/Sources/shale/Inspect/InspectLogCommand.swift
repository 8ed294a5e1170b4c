import ArgumentParser
import ShaleInspection

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
