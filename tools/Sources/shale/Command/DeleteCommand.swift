import ArgumentParser
import Shale

struct DeleteCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Removes keys, or all keys of a range.",
        discussion: """
            EXAMPLES
              shale delete DIR settings volume
              shale delete DIR sessions --prefix s1/ --dry-run
              shale delete DIR sessions --from 2024 --to 2025 --yes

            \(KeyFormOptions.explanation)

            Ends with code 1 if a named key does not exist. Asks for confirmation before it
            removes a range.
            """)

    @OptionGroup var store: StoreArgument

    @OptionGroup var place: NamespaceArguments

    @Argument(help: "Keys.")
    var keys: [String] = []

    @Option(help: "All keys that start with this.")
    var prefix: String?

    @Option(help: "All keys from this one on.")
    var from: String?

    @Option(help: "All keys before this one.")
    var to: String?

    @OptionGroup var form: KeyFormOptions

    @Flag(help: "Report how many keys would be removed, and change nothing.")
    var dryRun = false

    @OptionGroup var confirmation: Confirmation
    @OptionGroup(title: "Output") var output: OutputOptions

    private var isRange: Bool { prefix != nil || from != nil || to != nil }

    func validate() throws {
        if prefix != nil, from != nil || to != nil { throw ValidationError("--prefix excludes --from and --to") }
        guard keys.isEmpty == isRange else { throw ValidationError("give either keys or a range") }
    }

    func run() throws {
        let path = try place.path()
        let removed = try isRange ? removeRange(path) : removeKeys(path)
        try DeleteReport(removed: removed, isDryRun: dryRun).show(output)
        if !isRange, removed < keys.count { throw ExitCode(ExitStatus.different.rawValue) }
    }

    private func removeKeys(_ path: NamespacePath) throws -> Int {
        let keys = try keys.map { try KeyArgument.bytes($0, form.form) }
        let store = try StoreAccess.open(self.store.path, dryRun ? .readOnly : .openExisting)
        let namespace = try store.existingNamespace(path)
        let present = try keys.filter { try namespace.contains($0) }
        if !dryRun { for key in present { try namespace.remove(key) } }
        try store.close()
        return present.count
    }

    private func removeRange(_ path: NamespacePath) throws -> Int {
        let range = try KeyArgument.range(prefix: prefix, from: from, to: to, form.form)
        if dryRun || !confirmation.yes {
            let store = try StoreAccess.open(self.store.path, .readOnly)
            let count = try store.existingNamespace(path).keys(in: range).count()
            try store.close()
            if dryRun { return count }
            try confirmation.obtain("removes \(Figures.count(count, "key")) of \(path.text)")
        }
        let store = try StoreAccess.open(self.store.path, .openExisting)
        let removed = try store.existingNamespace(path).removeAll(in: range)
        try store.close()
        return removed
    }
}

struct DeleteReport: Report {
    static let command = "delete"

    let removed: Int
    let isDryRun: Bool

    func text() -> Shown { (isDryRun ? "would remove " : "removed ") + Figures.count(removed, "key") }
}
