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

            Ends with code 1 when the key or the namespace is not there.
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The namespace; \"/\" separates levels, %2F stands for a slash in a name.")
    var namespace: String

    @Argument(help: "The key.")
    var key: String

    @Flag(help: "The key is given as hexadecimal digits.")
    var hex = false

    @Flag(help: "Give the encoded value's bytes as they are, and nothing else.")
    var raw = false

    @Option(help: "The user whose space the namespace is in; default: the common space.")
    var user: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if raw, output.json { throw ValidationError("--raw and --json exclude each other") }
    }

    func run() throws {
        let path = try NamespacePath(namespace, user: user)
        let bytes = try KeyArgument.bytes(key, isHex: hex)
        let store = try StoreAccess.open(self.store.path, .readOnly)
        let namespace = try store.existingNamespace(path)
        guard let value = try namespace.object(forKey: bytes), let info = try namespace.info(forKey: bytes) else {
            throw ToolFailure.notFound("there is no such key in \(path.text)")
        }
        if raw {
            try writeFully(try payload(of: bytes, in: store, path), to: STDOUT_FILENO, named: "standard output")
        } else {
            try GetReport(namespace: path.text, user: user, entry: EntryReport(key: bytes, (value, info)))
                .show(asJSON: output.json)
        }
        try store.close()
    }

    private func payload(of key: [UInt8], in store: Store, _ path: NamespacePath) throws -> [UInt8] {
        guard let id = store.identifier(of: path), let stored = try store.engine.value(forKey: key, in: id)
        else { throw ToolFailure.notFound("there is no such key in \(path.text)") }
        return Array(stored.dropFirst(2))
    }
}

struct GetReport: Report {
    static let command = "get"

    let namespace: String
    let user: String?
    let entry: EntryReport

    func text() throws -> String { try entry.value?.text() ?? "" }
}
