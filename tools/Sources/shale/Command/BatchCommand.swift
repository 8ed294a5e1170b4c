import ArgumentParser
import Shale

struct BatchCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Applies operations from standard input in one atomic step.",
        discussion: """
            EXAMPLES
              shale batch DIR < operations.ndjson
              shale batch DIR operations.ndjson --dry-run
              echo '{"op":"remove","namespace":"settings","key":"old"}' | shale batch DIR

            OPERATIONS
              A JSON object on every line, with these members:

              op            set or remove
              namespace     as in arguments: "/" separates levels; with set it is created
              user          the user whose space the namespace is in
              key           the key as text, or
              keyBase64     the key as base64
              value         the value: with set only
              type          its type: string, int, double, bool, date, uuid, url, json, or
                            data in base64; default: by its form in JSON
              purgeable     true or false; default: as the namespace has it
              expiresAfter  90s, 30m, 12h, 7d or never
              expiresAt     a date in ISO 8601
              encrypted     true or false; default: as the namespace has it

            All lines are checked before the store is opened. Then all operations are
            applied or none is, even if the process is killed. Of several operations on a
            key the last one counts. A line that is not valid ends the command with code
            65, and its number is named.

            LIMITS
              A line and a value have at most 32 MiB, a batch 64 MiB.
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The operations; \"-\" is standard input.", completion: .file())
    var file = "-"

    @Flag(help: "Check the operations and report what they would do, and change nothing.")
    var dryRun = false

    @Flag(help: "Make the batch durable against power loss before the command ends.")
    var synced = false

    @Flag(help: "Create the store if it does not exist.")
    var create = false

    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let operations = try BatchOperation.readAll(try ByteStream(path: file))
        if let store = try open(asks: operations.contains { $0.isEncrypted == true } && !dryRun) {
            try checkSecrets(operations, store)
            if !dryRun { try apply(operations, store) }
            try store.close()
        }
        try BatchReport(operations, isDryRun: dryRun).show(output)
    }

    /// Opens the store. Returns `nil` if it would be created and nothing is to be changed.
    private func open(asks: Bool) throws -> Store? {
        do {
            return try StoreAccess.open(
                store.path, dryRun ? .readOnly : create ? .createIfMissing : .openExisting, keys, asks: asks)
        } catch let failure as StorageError where failure.code == .missing && dryRun && create {
            return nil
        }
    }

    /// Refuses values in the clear if an option names a key.
    private func checkSecrets(_ operations: [BatchOperation], _ store: Store) throws {
        guard keys.isNamed else { return }
        for operation in operations where operation.value != nil {
            let namespace = store.namespace(operation.namespace)
            guard try !(operation.isEncrypted ?? namespace.options.isEncrypted) else { continue }
            throw ToolFailure.usage(
                "a key was named, but line \(operation.line) would store a value in the clear: "
                    + "add \"encrypted\":true, or leave the key out")
        }
    }

    private func apply(_ operations: [BatchOperation], _ store: Store) throws {
        // By bytes: equal strings may be different names.
        var namespaces: [[UInt8]: Store.Namespace] = [:]
        for operation in operations {
            let name = operation.namespace.catalogueName
            if namespaces[name] != nil { continue }
            let namespace = store.namespace(operation.namespace)
            // A namespace that does not exist has nothing to remove, and removing would create it.
            if try operation.value != nil || namespace.exists { namespaces[name] = namespace }
        }
        var line = 0
        var refused: StorageError?
        do {
            try store.write(durability: synced ? .synced : .buffered) { (batch) throws(StorageError) in
                do throws(StorageError) {
                    for operation in operations {
                        guard let namespace = namespaces[operation.namespace.catalogueName] else { continue }
                        line = operation.line
                        try operation.add(to: &batch, namespace)
                    }
                } catch {
                    refused = error
                    throw error
                }
            }
        } catch {
            guard refused?.code == .invalidArgument || refused?.code == .codecFailure else { throw error }
            throw ToolFailure.badInput("line \(line): \(error.message)")
        }
    }
}

struct BatchReport: Report {
    static let command = "batch"

    /// The numbers of operations.
    let sets: Int
    let removes: Int
    let namespaces: Int
    let isDryRun: Bool

    init(_ operations: [BatchOperation], isDryRun: Bool) {
        sets = operations.count { $0.value != nil }
        removes = operations.count - sets
        namespaces = Set(operations.map(\.namespace.catalogueName)).count
        self.isDryRun = isDryRun
    }

    func text() -> Shown {
        let what: Shown =
            "\(Figures.count(sets, "value")), \(Figures.count(removes, "removal")) in "
            + Figures.count(namespaces, "namespace")
        return isDryRun ? "valid: \(what)" : "applied: \(what)"
    }
}
