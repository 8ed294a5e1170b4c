import ArgumentParser
import Shale
import ShaleEngine

struct PurgeCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Removes purgeable entries and gives their disk space back.",
        discussion: """
            EXAMPLES
              shale purge DIR --dry-run
              shale purge DIR
              shale purge DIR packages/Description --yes --json

            Purged entries become invisible at once; then files are rewritten to return
            their space. An interrupted purge leaves a sound store without the purged
            entries. Without a namespace the whole store is purged. Asks for confirmation.
            If a process has the store open, that process is asked to do the work.
            """)

    @OptionGroup var store: StoreArgument

    @Argument(
        help: "Only this namespace, not those below it; \"/\" separates levels.",
        completion: StoreCompletion.namespaces)
    var namespace: String?

    @Option(
        help: "The user whose space is purged or contains the namespace.",
        completion: StoreCompletion.users)
    var user: String?

    @Flag(help: "Report what would be purged, and change nothing.")
    var dryRun = false

    @OptionGroup var confirmation: Confirmation
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        if dryRun { return try foreseen().show(output) }
        if !confirmation.yes {
            let report = try foreseen()
            try confirmation.obtain(
                "purges \(Figures.count(report.entries, "entry", "entries")) (\(Figures.bytes(report.rawBytes)))")
        }
        let before = try DirectorySize(of: self.store.path).allocatedBytes
        let store: Store
        do {
            store = try StoreAccess.open(self.store.path, .openExisting)
        } catch let failure as StorageError where failure.code == .locked {
            return try requestPurge(failure).show(output)
        }
        var report = try Self.purge(store, try scope(store), isQuiet: output.quiet)
        try store.close()
        // The store's own report counts the log that opening creates and closing removes.
        report.returnedBytes = Int64(before) - Int64(try DirectorySize(of: self.store.path).allocatedBytes)
        try report.show(output)
    }

    private func foreseen() throws -> PurgedReport {
        let store = try StoreAccess.open(self.store.path, .readOnly)
        let report = PurgedReport(try store.purgeDryRun(try scope(store)), seconds: 0)
        try store.close()
        return report
    }

    private func scope(_ store: Store) throws -> PurgeScope {
        if let namespace { return .namespace(try store.existingNamespace(try NamespacePath(namespace, user: user))) }
        return user.map { .user($0) } ?? .all
    }

    static func purge(_ store: Store, _ scope: PurgeScope, isQuiet: Bool) throws -> PurgedReport {
        let progress = Progress("purge", isQuiet: isQuiet)
        let done: PurgeReport
        do {
            done = try store.purge(scope) { step in
                progress.update(fraction: step.fraction, "returning disk space")
            }
        } catch {
            progress.erase()
            throw error
        }
        progress.erase()
        return PurgedReport(done, seconds: progress.elapsed.seconds)
    }
}

struct PurgedReport: Report {
    static let command = "purge"

    let entries: UInt64
    /// The bytes of keys and values, uncompressed.
    let rawBytes: UInt64
    /// The bytes by which the store's files have shrunk; estimated in a dry run.
    var returnedBytes: Int64
    let isDryRun: Bool
    let seconds: Double

    init(_ report: PurgeReport, seconds: Double) {
        entries = report.entries
        rawBytes = report.logicalBytes
        returnedBytes = report.returnedBytes
        isDryRun = report.isEstimate
        self.seconds = seconds
    }

    init(_ report: OwnerWorkReport, seconds: Double) {
        entries = report.purgedEntries
        rawBytes = report.purgedRawBytes
        returnedBytes = report.returnedBytes
        isDryRun = false
        self.seconds = seconds
    }

    func text() -> Shown {
        let size = "\(Figures.count(entries, "entry", "entries")) (\(Figures.bytes(rawBytes)))"
        return isDryRun
            ? "would purge \(size) and return about \(Figures.bytes(returnedBytes)) to the disk"
            : "purged \(size) in \(Figures.duration(.seconds(seconds))); \(Figures.bytes(returnedBytes)) returned to "
                + "the disk"
    }
}
