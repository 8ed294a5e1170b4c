import ArgumentParser
import Shale

struct GetCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Shows the value of one key.",
        discussion: """
            EXAMPLES
              shale get DIR packages bash/5.2.15-2+b7/amd64
              shale get DIR countries DEU --json
              shale get DIR images logo --raw > logo.png
              shale get DIR cache 00ff --hex
              shale get DIR tokens api --reveal --key-file store.key

            Ends with code 1 if the key or the namespace does not exist. Encrypted values
            are shown only with --reveal, which needs the store's key. Control characters
            are shown as \\xNN. --raw prints the exact bytes, to a terminal only if they are
            harmless.
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The namespace; \"/\" separates levels, %2F stands for a slash in a name.")
    var namespace: String

    @Argument(help: "The key.")
    var key: String

    @Flag(help: "The key is given as hexadecimal digits.")
    var hex = false

    @Flag(help: "Print the exact bytes of the encoded value, and nothing else.")
    var raw = false

    @Flag(help: "Print raw bytes to a terminal even if they contain control characters.")
    var force = false

    @Flag(help: "Show an encrypted value.")
    var reveal = false

    @Option(help: "The user whose space the namespace is in; default: the common space.")
    var user: String?

    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        if raw, output.format != .human { throw ValidationError("--raw and --format exclude each other") }
        if force, !raw { throw ValidationError("--force needs --raw") }
    }

    func run() throws {
        let path = try NamespacePath(namespace, user: user)
        let bytes = try KeyArgument.bytes(key, isHex: hex)
        let store = try StoreAccess.open(self.store.path, .readOnly, keys, asks: reveal)
        let namespace = try store.existingNamespace(path)
        guard let info = try namespace.info(forKey: bytes) else { throw notFound(path) }
        if raw {
            guard reveal || !info.isEncrypted else {
                throw ToolFailure.usage("the value is encrypted: add --reveal to show it")
            }
            guard let payload = try namespace.payload(forKey: bytes) else { throw notFound(path) }
            try Terminal.put(raw: payload.bytes, force: force)
        } else {
            let value = reveal || !info.isEncrypted ? try namespace.object(forKey: bytes) : nil
            let entry = EntryReport(key: bytes, info, value)
            try GetReport(namespace: path.text, user: user, entry: entry).show(output)
        }
        try store.close()
    }

    private func notFound(_ path: NamespacePath) -> ToolFailure {
        .notFound("there is no such key in \(path.text)")
    }
}

struct GetReport: Report {
    static let command = "get"

    let namespace: String
    let user: String?
    let entry: EntryReport

    func text() throws -> Shown { Shown(lines: try entry.shownValue()) }

    var table: RowTable { RowTable(columns: EntryReport.columns, [entry]) }
}
