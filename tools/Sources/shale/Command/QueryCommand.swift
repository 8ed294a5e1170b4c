import ArgumentParser
import Shale
import ShaleCollections

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct QueryCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Finds records of a collection by a condition.",
        discussion: """
            EXAMPLES
              shale query DIR people --limit 20
              shale query DIR people --where 'age >= 18 and city = "Lund"'
              shale query DIR people --where 'name starts with "A"' --order 'age desc, name'
              shale query DIR people --where 'email is null or not active' --count
              shale query DIR people --where 'age between 20 and 29' --explain
              shale query DIR people --order name --limit 100 --after AQAB
              shale query DIR people --format csv > people.csv

            A collection is named by its namespace, or by its name alone if the namespace
            is collections/NAME. Indexes serve what they can; --explain runs the query and
            tells which, and how much was read.

            CONDITIONS
              =  !=  <  <=  >  >=      a field and a value, in this order
              between A and B          both included
              in (A, B, ...)
              starts with 'text'
              is null, is not null
              and, or, not, ( )        "and" binds more than "or"

            Text is in quotes of either kind, with the quote itself doubled. Dates are in
            quotes: '2026-01-31' or '2026-01-31T12:00:00Z'. UUIDs are in quotes, bytes are
            x'00ff', and a boolean field is a condition by itself. A field whose name is no
            word is in backquotes. Text is compared by its bytes. Null equals null, and is
            neither less nor greater than anything.

            Each line is the record's key, a tab and the record. If --limit ends the list,
            the option that continues it is printed on standard error; it also works later,
            and in another process. Records that can't be read are counted there, and the
            exit code is that of the first one's error. Encrypted records are read only with
            --reveal, which needs the store's key.
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The namespace or the name of the collection.", completion: StoreCompletion.collections)
    var collection: String

    @OptionGroup var space: SpaceOption

    @Option(name: .customLong("where"), help: "Only records that satisfy this condition.")
    var condition: String?

    @Option(help: "The fields to order by, each with asc or desc; default: the key.")
    var order: String?

    @Option(help: "List at most this many records.")
    var limit: Int?

    @Option(help: "Only records behind this place, which an earlier list with --limit named.")
    var after: String?

    @Flag(help: "Print only the number of records.")
    var count = false

    @Flag(help: "Run the query, and print how it was answered.")
    var explain = false

    @Flag(help: "Read encrypted records.")
    var reveal = false

    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit takes 0 or more") }
        if count, explain { throw ValidationError("--count and --explain exclude each other") }
    }

    func run() throws {
        let path = try NamespacePath(collection, user: space.user)
        let cursor = try after.map { try Self.cursor($0) }
        let store = try open()
        let named = try store.existingCollection(path)
        var query = try condition.map { try named.collection.query(where: $0) } ?? named.collection.query()
        if let order { query = try query.ordered(by: order) }
        query = query.limit(limit ?? .max).after(cursor)
        if explain {
            try ExplanationReport(named.path, try query.explain()).show(output)
        } else if count {
            try RecordCountReport(namespace: named.path.text, user: named.path.user, count: try query.count())
                .show(output)
        } else {
            try list(query, named)
        }
        try store.close()
    }

    /// Opens the store for reading. Without `--reveal` a named key is checked, and decrypts nothing.
    private func open() throws -> Store {
        if !reveal, keys.isNamed { try StoreAccess.open(store.path, .readOnly, keys).close() }
        return try StoreAccess.open(store.path, .readOnly, reveal ? keys : nil, asks: reveal)
    }

    private static func cursor(_ text: String) throws -> QueryCursor {
        guard let bytes = Data(base64Encoded: text) else { throw ToolFailure.usage("--after takes base64") }
        return QueryCursor(bytes: [UInt8](bytes))
    }

    private func list(_ query: RecordQuery<StoredRecord>, _ named: NamedCollection) throws {
        let columns = RecordColumns(named.collection)
        var writer = try RowWriter<RecordRow>(
            output.format, command: RecordRow.command,
            head: RecordRow.Head(namespace: named.path.text, user: named.path.user), list: "records",
            columns: columns.names)
        var outputError: (any Error)?
        let end: RecordQueryEnd
        do throws(StorageError) {
            end = try query.forEach { (key, record) throws(StorageError) in
                do {
                    try writer.write(try RecordRow(key, record, columns))
                } catch {
                    outputError = error
                    throw StorageError(.ioFailure, "the output failed")
                }
            }
        } catch {
            throw outputError ?? error
        }
        var next = end.next
        if let last = next, !(try query.limit(1).after(last).exists()) { next = nil }
        let text = next.map { Data($0.bytes).base64EncodedString() }
        try writer.finish(after: text.map { ShownKey(Array($0.utf8)) })
        if let text, !output.quiet, output.format != .json {
            Terminal.note("shale: there are more records: continue with --after=\(text)")
        }
        try report(end.failures)
    }

    /// Tells how many records can't be read, and why the first of them can't.
    private func report(_ failures: [RecordFailure]) throws {
        guard let first = failures.first else { return }
        Terminal.note(
            "shale: \(Figures.count(failures.count, "record")) can't be read, the first because of "
                + "\(first.error.code.rawValue): \(message: first.error.message)")
        throw ExitCode(first.error.exitStatus.rawValue)
    }
}
