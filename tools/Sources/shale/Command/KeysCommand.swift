import ArgumentParser
@_spi(Command) import Shale
import ShaleEncryption

struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Makes, checks and changes the keys of encrypted stores.",
        discussion: """
            EXAMPLES
              shale keys make store.key
              shale keys check DIR --key-file store.key
              shale keys change-master DIR --key-file old.key --new-key-file new.key
              shale keys change-data DIR --key-file store.key

            The master key opens the store. It seals the data keys, which encrypt the
            values.
            """,
        subcommands: [
            MakeKeyCommand.self, CheckKeyCommand.self, ChangeMasterKeyCommand.self, ChangeDataKeysCommand.self,
        ])
}

struct MakeKeyCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Makes a file with a new random master key.",
        discussion: """
            EXAMPLES
              shale keys make store.key

            The file has mode 0600 and is durable when the command ends. A file that exists
            is never replaced: it may hold the only copy of a key. If the key is lost, the
            values can't be recovered, so keep a copy in another place.
            """)

    @Argument(help: "The file to make.", completion: .file())
    var file: String

    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        try KeySource.makeKeyFile(at: file)
        try KeyFileReport(file: file).show(output)
    }
}

struct KeyFileReport: Report {
    static let command = "keys make"

    let file: String

    func text() -> Shown { "made \(file)" }
}

struct CheckKeyCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks that a key opens a store.",
        discussion: """
            EXAMPLES
              shale keys check DIR --key-file store.key
              shale keys check DIR --passphrase-file passphrase --json

            Ends with code 4 if the key is not the store's. A store without encrypted
            values has no key yet: every key opens it, and the answer says so. The answer
            also names namespaces whose change of keys has not finished.
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let store = try StoreAccess.open(self.store.path, .readOnly, keys, asks: true)
        var report = KeyCheckReport(hasKey: store.hasMasterKey)
        for description in store.engine.namespaces {
            guard let path = NamespacePath(catalogueName: description.name) else { continue }
            let namespace = store.namespace(path)
            if try namespace.options.isEncrypted { report.encryptedNamespaces += 1 }
            if try namespace.hasUnfinishedKeyChange { report.unfinished.append(.init(path)) }
        }
        try store.close()
        try report.show(output)
    }
}

struct KeyCheckReport: Report {
    static let command = "keys check"

    struct UnfinishedChange: Encodable {
        let namespace: String
        let user: String?

        init(_ path: NamespacePath) {
            namespace = path.text
            user = path.user
        }
    }

    /// False if the store has no key yet.
    let hasKey: Bool
    /// The number of namespaces that encrypt by default.
    var encryptedNamespaces = 0
    /// The namespaces whose change of keys has not finished.
    var unfinished: [UnfinishedChange] = []

    init(hasKey: Bool) { self.hasKey = hasKey }

    func text() -> Shown {
        var lines: [Shown] = [
            hasKey ? "this is the store's key" : "the store has no key yet: the first encrypted write makes it",
            "\(Figures.count(encryptedNamespaces, "namespace")) encrypted by default",
        ]
        for place in unfinished {
            lines.append("unfinished change of keys: \(Shown(namespace: place.namespace, user: place.user))")
        }
        return lines.joined(separator: "\n")
    }
}

struct ChangeMasterKeyCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-master",
        abstract: "Gives a store another master key.",
        discussion: """
            EXAMPLES
              shale keys make new.key
              shale keys change-master DIR --key-file old.key --new-key-file new.key
              shale keys change-master DIR --key-file old.key --new-passphrase-file phrase

            One durable step: until it only the old key opens the store, afterwards only the
            new one, even if the process is killed. Keep the new key before. Without an
            option for the new key, the terminal asks for a new passphrase, twice.

            Values stay as they are. If the old key and the files were exposed, change the
            data keys too.
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "The new key") var newKeys: NewKeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let store = try StoreAccess.open(self.store.path, .openExisting, keys, asks: true)
        try store.changeMasterKey(to: try newKeys.source())
        try store.close()
        try MasterKeyReport().show(output)
    }
}

struct MasterKeyReport: Report {
    static let command = "keys change-master"

    let isChanged = true

    func text() -> Shown { "the store has a new master key: the old one does not open it any more" }
}

struct ChangeDataKeysCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-data",
        abstract: "Gives a store new data keys and encrypts all values again.",
        discussion: """
            EXAMPLES
              shale keys change-data DIR --key-file store.key
              shale keys change-data DIR tokens --key-file store.key

            Interrupting the command loses nothing: every value can be read with the old or
            the new key, and the next run finishes the change. Old values take space until
            the store is compacted.
            """)

    @OptionGroup var store: StoreArgument

    @OptionGroup var place: OptionalNamespaceArguments

    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let path = try place.path()
        let store = try StoreAccess.open(self.store.path, .openExisting, keys, asks: true)
        let namespace = try path.map { try store.existingNamespace($0) }
        let progress = Progress("keys", isQuiet: output.quiet)
        Interruption.catchIt()
        let report: KeyChangeReport
        do {
            let tell = { (step: KeyChangeProgress) throws(StorageError) in
                try Interruption.check("interrupted: both keys stay, and the next run finishes the change")
                progress.update(
                    fraction: step.fraction,
                    "\(Figures.count(step.examined, "entry", "entries")), \(Figures.count(step.rewritten)) rewritten")
            }
            report =
                if let namespace { try namespace.changeDataKey(progress: tell) } else {
                    try store.changeDataKeys(progress: tell)
                }
        } catch {
            progress.erase()
            throw error
        }
        progress.erase()
        try store.close()
        try DataKeysReport(
            rewritten: report.rewritten, isResumed: report.isResumed, seconds: progress.elapsed.seconds
        ).show(output)
    }
}

struct DataKeysReport: Report {
    static let command = "keys change-data"

    /// The number of values encrypted again.
    let rewritten: Int
    /// True if this run finished an earlier change.
    let isResumed: Bool
    let seconds: Double

    func text() -> Shown {
        let what: Shown = isResumed ? "finished an earlier change" : "changed the data keys"
        return "\(what): \(Figures.count(rewritten, "value")) encrypted again in "
            + Figures.duration(.seconds(seconds))
    }
}
