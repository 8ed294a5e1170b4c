import ArgumentParser
import Shale

struct ImportCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Reads records from files into a namespace.",
        discussion: """
            EXAMPLES
              shale import DIR packages /var/lib/apt/lists/*_Packages*
              shale import DIR countries iso_3166-1.json --key alpha_3
              shale import DIR events events.ndjson --key id --synced
              shale import DIR settings com.example.app.plist
              shale import DIR people people.csv --key id --column-type age=int
              shale import DIR prices prices.tsv --key sku --value price \\
                  --column-type price=double
              shale import DIR notes notes.json --key id --purgeable-field preview
              zcat log.gz | shale import DIR log - --input-format ndjson --key id

            FORMATS
              ndjson    a JSON object on every line
              json      an array of objects, or an object that holds such an array
              control   Debian control stanzas: package lists, also compressed ones, and
                        dpkg's status file
              plist     a dictionary, whose members become entries; with --key an array of
                        dictionaries
              csv       rows of RFC 4180 behind a row of names; the key is one or several
                        columns. A row is stored as a JSON object, or with --value as the
                        value of one column. Columns are strings unless --column-type
                        names int, double, bool, date or json; an empty field of such a
                        column is null

            Files are read as streams and written in batches. A batch is stored completely
            or not at all, even if this process is killed. Importing the same input again
            changes nothing. If the input is not valid somewhere, the import ends there, and
            the message says how many records before it are stored; --dry-run checks the
            whole input first. With --skip-bad-rows the rows of CSV that can't be stored are
            named and left out, and the command ends with code 65.

            Values are encrypted with --encrypted, and in namespaces that encrypt by
            default. A named key is refused if no value would be encrypted with it.

            LIMITS
              A line, a stanza, an element or a value has at most 32 MiB, an object 65536
              members. A property list has at most 64 MiB, also when decoded, and 1000000
              objects. Input over a limit ends the command with code 65.
            """)

    @OptionGroup var store: StoreArgument

    @Argument(
        help: "The namespace; \"/\" separates levels, %2F stands for a slash in a name.",
        completion: StoreCompletion.namespaces)
    var namespace: String

    @Argument(help: "Files to read; \"-\" is standard input.", completion: .file())
    var files: [String]

    @Option(help: "The files' format; default: by their names.")
    var inputFormat: InputFormat?

    @Option(
        help: ArgumentHelp(
            "A field of the key; several are joined (control: Package, Version, Architecture).", valueName: "field"))
    var key: [String] = []

    @Option(help: "The text between several key fields.")
    var separator = "/"

    @Option(help: ArgumentHelp("CSV: the column that is the value; default: an object of all.", valueName: "column"))
    var value: String?

    @Option(
        help: ArgumentHelp(
            "CSV: the type of a column: int, double, bool, date, json or string.", valueName: "column=type"))
    var columnType: [ColumnTypeArgument] = []

    @Option(help: "CSV: the character between fields, or tab; default: a comma, a tab in *.tsv files.")
    var delimiter: DelimiterArgument?

    @Flag(help: "CSV: the first row is data; the columns are named 1, 2, 3, and so on.")
    var noNames = false

    @Flag(help: "CSV: name rows that can't be stored, and import the others.")
    var skipBadRows = false

    @Flag(help: "Read and check the input, and change nothing.")
    var dryRun = false

    @Option(help: "The member with the array to import, if a JSON object holds several.")
    var array: String?

    @Option(help: "A field that is stored in a second namespace as a purgeable entry.")
    var purgeableField: String?

    @Option(help: "The second namespace; default: the field's name under the first.")
    var purgeableNamespace: String?

    @Option(
        help: "The user whose space the namespaces are in; default: the common space.",
        completion: StoreCompletion.users)
    var user: String?

    @Option(help: "The number of records in a batch, 1 to 100000.")
    var batch = 512

    @Flag(help: "Skip records that are already stored with the same value.")
    var resume = false

    @Flag(help: "Encrypt the values, including those of the purgeable field.")
    var encrypted = false

    @Flag(help: "Make every batch durable against power loss before the next one.")
    var synced = false

    @Option(help: "The number of records, for the progress bar, if it can't be known otherwise.")
    var expect: Int?

    @Option(help: "Write a line to this file descriptor after each batch: ack BATCHES RECORDS USERBYTES WRITTENBYTES.")
    var ackFd: Int32?

    @Option(help: "Append the same lines to this file.", completion: .file())
    var ackFile: String?

    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        guard batch > 0, batch <= 100_000 else { throw ValidationError("--batch takes 1 to 100000") }
        guard !files.isEmpty else { throw ValidationError("name a file, or \"-\" for standard input") }
        guard ackFd == nil || ackFile == nil else {
            throw ValidationError("--ack-fd and --ack-file exclude each other")
        }
        if purgeableNamespace != nil, purgeableField == nil {
            throw ValidationError("--purgeable-namespace needs --purgeable-field")
        }
    }

    func run() throws {
        let badRows = skipBadRows ? BadRows(isQuiet: output.quiet) : nil
        let input = try makeInput(badRows)
        let path = try NamespacePath(namespace, user: user)
        let purgeablePath = try purgeableTarget(path)
        var report = ImportReport(files: input.files.count, namespace: path.text, isDryRun: dryRun)
        if dryRun {
            try check(input, &report)
        } else {
            try importAll(input, path, purgeablePath, &report)
        }
        badRows?.noteRest()
        report.badRows = badRows?.count ?? 0
        // If acknowledgements go to standard output, nothing else does.
        if ackFd != STDOUT_FILENO { try report.show(output) }
        if report.badRows > 0 { throw ExitCode(ExitStatus.badInput.rawValue) }
    }

    private func check(_ input: ImportInput, _ report: inout ImportReport) throws {
        var reader = input.batches()
        while let records = try reader.next() {
            report.records += records.count
            report.batches += 1
        }
        report.inputBytes = reader.readBytes
    }

    private func importAll(
        _ input: ImportInput, _ path: NamespacePath, _ purgeablePath: NamespacePath?, _ report: inout ImportReport
    ) throws {
        let access = try open([path] + (purgeablePath.map { [$0] } ?? []))
        let progress = Progress("import", isQuiet: output.quiet)
        var importer = Importer(
            store: access, target: path, purgeableTarget: purgeablePath, input: input)
        importer.isResuming = resume
        importer.encrypts = encrypted
        importer.durability = synced ? .synced : .buffered
        importer.expectedRecords = expect
        if let ackFd { importer.acknowledgements = Acknowledgements(descriptor: ackFd) }
        if let ackFile { importer.acknowledgements = try Acknowledgements(file: ackFile) }
        do {
            try importer.run(&report, progress)
        } catch let failure as ToolFailure where failure.status == .badInput && report.records > 0 {
            progress.erase()
            throw ToolFailure.badInput(
                "\(failure.message); \(report.records) records of the input before it are stored")
        } catch {
            progress.erase()
            throw error
        }
        progress.erase()
        try access.close()
    }

    /// Opens the store, or creates it. If only namespaces that encrypt by default are allowed, the store must exist,
    /// because a new store has none.
    private func open(_ targets: [NamespacePath]) throws -> Store {
        let policy = SecretPolicy(keys: keys, encrypts: encrypted)
        do {
            let store = try StoreAccess.open(
                store.path, policy.needsDefaults ? .openExisting : .createIfMissing, keys, asks: encrypted)
            try policy.check(targets.map { store.namespace($0) })
            return store
        } catch let failure as StorageError where failure.code == .missing && policy.needsDefaults {
            throw SecretPolicy.clearRefusal(targets[0].text)
        }
    }

    private func purgeableTarget(_ path: NamespacePath) throws -> NamespacePath? {
        guard let purgeableField else { return nil }
        return try purgeableNamespace.map { try NamespacePath($0, user: user) } ?? path.appending(purgeableField)
    }

    private func makeInput(_ badRows: BadRows?) throws -> ImportInput {
        guard let format = inputFormat ?? files.first.flatMap(InputFormat.guess) else {
            throw ToolFailure.usage("the format of \(files[0]) is not known: name it with --input-format")
        }
        var fields = key
        if fields.isEmpty {
            switch format {
            case .control: fields = StanzaReader.defaultKeyFields
            case .plist: break
            case .json, .ndjson, .csv: throw ToolFailure.usage("name the field that is the key with --key")
            }
        }
        let shape = RecordShape(keyFields: fields, separator: separator, purgeableField: purgeableField)
        var input = ImportInput(files: files, format: format, shape: shape, arrayName: array, batchRecords: batch)
        guard format == .csv else {
            guard value == nil, columnType.isEmpty, delimiter == nil, !noNames, !skipBadRows else {
                throw ToolFailure.usage(
                    "--value, --column-type, --delimiter, --no-names and --skip-bad-rows are for CSV")
            }
            return input
        }
        input.csv = CSVShape(
            delimiter: delimiter?.byte ?? UInt8(ascii: files[0].hasSuffix(".tsv") ? "\t" : ","), hasNames: !noNames,
            types: Dictionary(columnType.map { (Array($0.column.utf8), $0.type) }) { $1 }, valueColumn: value,
            badRows: badRows)
        return input
    }
}

/// The type of a column of CSV: `column=type`.
struct ColumnTypeArgument: ExpressibleByArgument {
    let column: String
    let type: CSVColumnType

    init?(argument: String) {
        // The name may contain the sign.
        guard let sign = argument.lastIndex(of: "="), sign > argument.startIndex,
            let type = CSVColumnType(rawValue: String(argument[argument.index(after: sign)...]))
        else { return nil }
        column = String(argument[..<sign])
        self.type = type
    }
}

/// The character between the fields of CSV.
struct DelimiterArgument: ExpressibleByArgument {
    let byte: UInt8

    init?(argument: String) {
        if argument == "tab" {
            byte = UInt8(ascii: "\t")
            return
        }
        guard argument.utf8.count == 1, let byte = argument.utf8.first, byte < 0x80, byte >= 0x20 || byte == 0x09,
            byte != UInt8(ascii: "\"")
        else { return nil }
        self.byte = byte
    }
}
