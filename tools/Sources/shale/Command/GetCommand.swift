import ArgumentParser
import Shale

struct GetCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Shows the values of keys.",
        discussion: """
            EXAMPLES
              shale get DIR packages bash/5.2.15-2+b7/amd64
              shale get DIR countries DEU --json
              shale get DIR countries DEU FRA ITA
              shale get DIR images logo --raw > logo.png
              shale get DIR cache 00ff --hex
              shale get DIR tokens api --reveal --key-file store.key

            Several keys are shown in the order of the arguments, a line each: the key, a
            tab and the value, as "scan" shows them.

            \(KeyFormOptions.explanation)

            Ends with code 1 if a key or the namespace does not exist; the other keys are
            shown, and the missing ones are named. Encrypted values are shown only with
            --reveal, which needs the store's key. Control characters are shown as \\xNN.
            --raw prints the exact bytes, to a terminal only if they are harmless.
            """)

    @OptionGroup var store: StoreArgument

    @OptionGroup var place: NamespaceArguments

    @Argument(help: "The keys.")
    var key: [String]

    @OptionGroup var form: KeyFormOptions

    @Flag(help: "Print the exact bytes of the encoded value, and nothing else.")
    var raw = false

    @Flag(help: "Print raw bytes to a terminal even if they contain control characters.")
    var force = false

    @Flag(help: "Show an encrypted value.")
    var reveal = false

    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        if raw, output.format != .human { throw ValidationError("--raw and --format exclude each other") }
        if raw, key.count > 1 { throw ValidationError("--raw takes one key") }
        if force, !raw { throw ValidationError("--force needs --raw") }
    }

    func run() throws {
        let path = try place.path()
        let wanted = try key.map { try KeyArgument.bytes($0, form.form) }
        let store = try StoreAccess.open(self.store.path, .readOnly, keys, asks: reveal)
        let namespace = try store.existingNamespace(path)
        if wanted.count == 1 {
            try showOne(wanted[0], namespace, path)
        } else {
            try showAll(wanted, namespace, path)
        }
        try store.close()
    }

    private func showOne(_ key: [UInt8], _ namespace: Store.Namespace, _ path: NamespacePath) throws {
        let missing = ToolFailure.notFound("there is no such key in \(path.text)")
        if raw {
            guard let info = try namespace.info(forKey: key) else { throw missing }
            guard reveal || !info.isEncrypted else {
                throw ToolFailure.usage("the value is encrypted: add --reveal to show it")
            }
            guard let payload = try namespace.payload(forKey: key) else { throw missing }
            try Terminal.put(raw: payload.bytes, force: force)
        } else {
            guard let entry = try entry(key, namespace) else { throw missing }
            try GetReport(namespace: path.text, user: path.user, entry: entry).show(output)
        }
    }

    /// Shows the keys that exist. The store was opened for reading, so all of them are of one moment.
    private func showAll(_ keys: [[UInt8]], _ namespace: Store.Namespace, _ path: NamespacePath) throws {
        var report = SeveralGetReport(namespace: path.text, user: path.user)
        for key in keys {
            if let entry = try entry(key, namespace) {
                report.entries.append(entry)
            } else {
                report.missing.append(MissingKey(key))
            }
        }
        try report.show(output)
        guard !report.missing.isEmpty else { return }
        try MissingKey.note(report.missing, in: path, output)
        throw ExitCode(ExitStatus.different.rawValue)
    }

    private func entry(_ key: [UInt8], _ namespace: Store.Namespace) throws -> EntryReport? {
        guard let info = try namespace.info(forKey: key) else { return nil }
        let value = reveal || !info.isEncrypted ? try namespace.object(forKey: key) : nil
        return EntryReport(key: key, info, value)
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

/// The answer for several keys.
struct SeveralGetReport: Report {
    static let command = GetReport.command

    let namespace: String
    let user: String?
    var entries: [EntryReport] = []
    var missing: [MissingKey] = []

    init(namespace: String, user: String?) {
        self.namespace = namespace
        self.user = user
    }

    func text() throws -> Shown { try entries.map { try $0.line() }.joined(separator: "\n") }

    var table: RowTable { RowTable(columns: EntryReport.columns, entries) }
}

/// A key that was named and does not exist.
struct MissingKey: Encodable {
    let key: String?
    let keyBase64: String?
    private let bytes: [UInt8]

    enum CodingKeys: String, CodingKey { case key, keyBase64 }

    init(_ bytes: [UInt8]) {
        let shown = ShownKey(bytes)
        key = shown.text
        keyBase64 = shown.base64
        self.bytes = bytes
    }

    /// Names the keys on standard error, unless the answer contains them.
    static func note(_ keys: [MissingKey], in path: NamespacePath, _ output: OutputOptions) throws {
        if output.format == .json { return }
        for missing in keys {
            let failure = ToolFailure.notFound("there is no key \(Shown(key: missing.bytes)) in \(path.text)")
            if output.format.isJSON {
                Terminal.note(try ErrorReport(failure).json())
            } else {
                Terminal.note("shale: \(message: failure.message)")
            }
        }
    }
}
