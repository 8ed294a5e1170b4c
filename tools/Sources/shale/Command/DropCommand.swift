import ArgumentParser
import Shale

struct DropCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Removes a namespace with everything in it.",
        discussion: """
            EXAMPLES
              shale drop DIR sessions --dry-run
              shale drop DIR packages --subtree
              shale drop DIR drafts --user u1 --yes

            Takes constant time; the next compaction returns the disk space. The keys of
            encrypted values are destroyed. Asks for confirmation.
            """)

    @OptionGroup var store: StoreArgument

    @OptionGroup var place: NamespaceArguments

    @Flag(help: "Also remove the namespaces below it.")
    var subtree = false

    @Flag(help: "Report what would be removed, and change nothing.")
    var dryRun = false

    @OptionGroup var confirmation: Confirmation
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let path = try place.path()
        let report = try foreseen(path)
        if !dryRun {
            try confirmation.obtain(
                "drops \(Figures.count(report.namespaces, "namespace")) with "
                    + "\(Figures.count(report.entries, "entry", "entries"))"
            )
            let store = try StoreAccess.open(self.store.path, .openExisting)
            let namespace = store.namespace(path)
            if subtree { try namespace.dropSubtree() } else { try namespace.drop() }
            try store.close()
        }
        try report.show(output)
    }

    private func foreseen(_ path: NamespacePath) throws -> DropReport {
        let store = try StoreAccess.open(self.store.path, .readOnly)
        var report = DropReport(isDryRun: dryRun)
        for description in store.engine.namespaces {
            guard let other = NamespacePath(catalogueName: description.name), other.user == path.user,
                other == path || subtree && other.components.starts(with: path.components)
            else { continue }
            let statistics = try store.engine.statistics(of: description.id)
            report.namespaces += 1
            report.entries += statistics.entries
            report.rawBytes += statistics.rawBytes
        }
        try store.close()
        guard report.namespaces > 0 else { throw ToolFailure.notFound("there is no namespace \(path.text)") }
        return report
    }
}

struct DropReport: Report {
    static let command = "drop"

    var namespaces = 0
    /// The number of stored versions, including dead ones.
    var entries: UInt64 = 0
    var rawBytes: UInt64 = 0
    let isDryRun: Bool

    init(isDryRun: Bool) { self.isDryRun = isDryRun }

    func text() -> Shown {
        (isDryRun ? "would drop " : "dropped ")
            + "\(Figures.count(namespaces, "namespace")), \(Figures.count(entries, "entry", "entries")) "
            + "(\(Figures.bytes(rawBytes)))"
    }
}
