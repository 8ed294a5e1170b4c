import ArgumentParser
import Shale
import ShaleCollections

struct CollectionsCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "collections",
        abstract: "Lists collections of records, and verifies and rebuilds their indexes.",
        discussion: """
            EXAMPLES
              shale collections DIR
              shale collections DIR people
              shale collections DIR --format csv --rows indexes
              shale collections DIR --verify
              shale collections DIR people --rebuild

            A collection is named by its namespace, or by its name alone if the namespace
            is collections/NAME. No Swift type is needed: the stored schema says what the
            fields are.

            --verify compares all records with all indexes, and ends with code 2 if an
            index lacks an entry or a record can't be read. --rebuild does the same, then
            builds the indexes that disagree again, and removes entries of records that are
            gone. It refuses a collection that only its application can read: one with
            records of an earlier version, or with fields that are not in the documents.
            """)

    /// The kind of rows for the formats with rows.
    enum Rows: String, ExpressibleByArgument, CaseIterable { case collections, fields, indexes }

    @OptionGroup var store: StoreArgument

    @Argument(
        help: "Only the collection in this namespace, or with this name.", completion: StoreCompletion.collections)
    var collection: String?

    @OptionGroup var space: SpaceOption

    @Flag(help: "Compare records with indexes.")
    var verify = false

    @Flag(help: "Compare records with indexes, and build again those that disagree.")
    var rebuild = false

    @Option(help: "What a row of --format ndjson and csv describes.")
    var rows = Rows.collections

    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        if collection == nil, space.user != nil { throw ValidationError("--user needs a collection") }
        if verify, rebuild { throw ValidationError("--verify and --rebuild exclude each other") }
    }

    func run() throws {
        let path = try collection.map { try NamespacePath($0, user: space.user) }
        let store = try StoreAccess.open(self.store.path, rebuild ? .openExisting : .readOnly, keys)
        var report = CollectionsReport(rows: rows)
        if let path {
            try add(try store.existingCollection(path), to: &report)
        } else {
            for namespace in store.collectionNamespaces { try add(namespace, to: &report) }
        }
        try store.close()
        try report.show(output)
        try report.conclude()
    }

    /// Adds a collection, or the reason why its schema can't be read.
    private func add(_ namespace: Store.Namespace, to report: inout CollectionsReport) throws {
        let path = NamespacePath(user: namespace.space.userID, components: namespace.path)
        let collection: StoredCollection
        do throws(StorageError) {
            guard let found = try StoredCollection(in: namespace) else { return }
            collection = found
        } catch {
            let codes: [StorageError.Code] = [.corruption, .codecFailure, .typeMismatch, .newerFormat]
            guard codes.contains(error.code) else { throw error }
            report.unreadable.append(UnreadableSchema(path, error))
            return
        }
        try add(NamedCollection(path: path, collection: collection), to: &report)
    }

    private func add(_ named: NamedCollection, to report: inout CollectionsReport) throws {
        guard verify || rebuild else { return report.collections.append(try CollectionRow(named)) }
        let progress = Progress(rebuild ? "rebuild" : "verify", isQuiet: output.quiet)
        defer { progress.erase() }
        let found = try named.collection.verify()
        var repaired: CollectionRepairRow?
        if rebuild {
            repaired = try repair(named.collection, found) { (step) in
                progress.update(fraction: step.fraction, "\(Figures.count(step.examined)) records")
            }
        }
        // The indexes have other namespaces after a rebuild.
        var row = try CollectionRow(
            rebuild ? NamedCollection(path: named.path, collection: try reopened(named)) : named)
        row.verification = CollectionVerificationRow(found)
        row.repair = repaired
        report.collections.append(row)
    }

    private func reopened(_ named: NamedCollection) throws -> StoredCollection {
        try StoredCollection(in: named.collection.namespace) ?? named.collection
    }

    private func repair(
        _ collection: StoredCollection, _ found: CollectionVerification,
        _ progress: (CollectionMigrationProgress) -> Void
    ) throws -> CollectionRepairRow {
        let unsound = found.unsoundIndexes
        var unreadable = 0
        if !unsound.isEmpty {
            let done = try collection.rebuildIndexes(unsound) { (step) throws(StorageError) in progress(step) }
            unreadable = done.failures.count
        }
        // Of the indexes that were built again nothing is stale.
        let isStale = found.indexes.contains { $0.isSound && $0.staleEntries > 0 }
        return CollectionRepairRow(
            rebuiltIndexes: unsound, recordsLeftOut: unreadable,
            removedEntries: isStale ? try collection.removeStaleEntries() : 0)
    }
}
