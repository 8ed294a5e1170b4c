import ArgumentParser
import Shale

struct PutCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Stores a value under a key.",
        discussion: """
            EXAMPLES
              shale put DIR settings volume 7 --type int
              shale put DIR images logo --type data --file logo.png
              shale put DIR sessions s1 '{"user":"u1"}' --type json --expires-after 7d
              pass show api | shale put DIR tokens api --encrypted --key-file store.key

            Without VALUE and --file the value is the exact bytes of standard input. A
            value that is to be encrypted is not accepted as an argument, because other
            users can see arguments.
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The namespace; \"/\" separates levels. It is created if it does not exist.")
    var namespace: String

    @Argument(help: "The key.")
    var key: String

    @Argument(help: "The value.")
    var value: String?

    @Option(help: "Read the value from this file.", completion: .file())
    var file: String?

    @Option(help: "The type of the value.")
    var type = PutType.string

    @Flag(help: "The key is given as hexadecimal digits.")
    var hex = false

    @Flag(help: "Make the entry purgeable.")
    var purgeable = false

    @Flag(help: "Encrypt the value.")
    var encrypted = false

    @Option(help: "The time after which the entry expires: 90s, 30m, 12h, 7d.")
    var expiresAfter: Lifetime?

    @Flag(help: "Make the entry durable against power loss before the command ends.")
    var synced = false

    @Flag(help: "Create the store if it does not exist.")
    var create = false

    @Option(help: "The user whose space the namespace is in; default: the common space.")
    var user: String?

    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        if value != nil, file != nil { throw ValidationError("a value and --file exclude each other") }
        if value != nil, encrypted {
            throw ValidationError(
                "give a value that is to be encrypted on standard input or with --file: other users can see arguments")
        }
    }

    func run() throws {
        let path = try NamespacePath(namespace, user: user)
        let key = try KeyArgument.bytes(self.key, isHex: hex)
        let value = try PutValue(bytes(), type)
        let store = try StoreAccess.open(
            self.store.path, create ? .createIfMissing : .openExisting, keys, asks: encrypted)
        let namespace = store.namespace(path)
        try SecretPolicy(keys: keys, encrypts: encrypted).check([namespace])
        if self.value != nil, try namespace.options.isEncrypted { throw SecretPolicy.argumentRefusal(namespace) }
        try value.store(in: namespace, key, options, durability: synced ? .synced : .buffered)
        try store.close()
    }

    private var options: ValueOptions {
        var options: ValueOptions = []
        if purgeable { options = [options, .purgeable] }
        if encrypted { options = [options, .encrypted] }
        if let expiresAfter { options = [options, .expires(after: expiresAfter.duration)] }
        return options
    }

    private func bytes() throws -> [UInt8] {
        if let value { return Array(value.utf8) }
        guard let file else { return try readAll(STDIN_FILENO, named: "standard input") }
        let descriptor = try InputFile.descriptor(file)
        defer { _ = close(descriptor) }
        return try readAll(descriptor, named: file)
    }
}
