import ArgumentParser
import Shale

struct DiffCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compares two stores.",
        discussion: """
            EXAMPLES
              shale diff DIR OTHER
              shale diff DIR OTHER --namespace settings --keys-only
              shale diff DIR OTHER --format ndjson | jq -r .key
              shale diff DIR OTHER --quiet && echo equal

            Compares namespaces, their options, keys, values and the entries' expiry,
            purgeability and encryption. Each difference is a line: "-" for what only the
            first store has, "+" for what only the second one has, "~" for what both have
            in different forms, with the names of what differs. Times of writing don't
            count. Memory does not depend on the size of the stores.

            Encrypted values of two stores have different bytes even if they are equal. With
            a key that opens both stores the values themselves are compared; without one
            such values count as different.

            Ends with code 1 if the stores differ. --quiet prints nothing and ends at the
            first difference.
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: ArgumentHelp("The other store's directory.", valueName: "other"), completion: .directory)
    var other: String

    @Option(help: "Only this namespace; \"/\" separates levels.", completion: StoreCompletion.namespaces)
    var namespace: String?

    @Option(
        help: "Only namespaces of this user's space.",
        completion: StoreCompletion.users)
    var user: String?

    @Flag(help: "Compare only which keys exist.")
    var keysOnly = false

    @Option(help: "End after this many differences.")
    var limit: Int?

    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit takes 1 or more") }
    }

    func run() throws {
        let path = try namespace.map { try NamespacePath($0, user: user) }
        let first = try StoreAccess.open(store.path, .readOnly, keys)
        let second = try StoreAccess.open(other, .readOnly, keys)
        let progress = Progress("diff", isQuiet: output.quiet)
        let writer = try RowWriter<DifferenceRow>(
            output.format, command: "diff", head: NoMembers(), list: "differences", isSilent: output.quiet)
        var listing = DifferenceListing(writer: writer, limit: output.quiet ? 1 : limit ?? .max)
        let comparison = StoreComparison(
            first: first, second: second, path: path, user: user, keysOnly: keysOnly, hasKey: try keys.source() != nil)
        do {
            try comparison.run(&listing) { compared in
                progress.update(fraction: nil, Figures.count(compared, "entry", "entries"))
            }
        } catch {
            progress.erase()
            throw error
        }
        progress.erase()
        try listing.writer.finish()
        try first.close()
        try second.close()
        if listing.count > 0 { throw ExitCode(ExitStatus.different.rawValue) }
    }
}

/// The members of an answer that has none beside its list.
private struct NoMembers: Encodable {}

/// A difference between two stores.
struct DifferenceRow: ListedRow {
    /// The stores that have the namespace or key.
    enum Side: String, Encodable {
        case first, second, both
    }

    let place: Side
    let namespace: String
    let user: String?
    /// Absent for a difference of a namespace.
    let key: String?
    let keyBase64: String?
    /// The parts that differ if both have it: value, type, expiry, purgeability, encryption, or options.
    let differs: [String]?
    private let keyBytes: [UInt8]?

    enum CodingKeys: String, CodingKey, CaseIterable { case place, namespace, user, key, keyBase64, differs }

    static var columns: [String] { CodingKeys.allCases.map(\.rawValue) }

    init(_ place: Side, _ path: NamespacePath, key: [UInt8]? = nil, differs: [String]? = nil) {
        self.place = place
        namespace = path.text
        user = path.user
        let shown = key.map { ShownKey($0) }
        self.key = shown?.text
        keyBase64 = shown?.base64
        self.differs = differs
        keyBytes = key
    }

    func line() -> Shown {
        let sign: Shown =
            switch place {
            case .first: "-"
            case .second: "+"
            case .both: "~"
            }
        var cells: [Shown] = [Shown(namespace: namespace, user: user)]
        if let keyBytes { cells.append(Shown(key: keyBytes)) }
        if let differs { cells.append(Shown(differs.joined(separator: ", "))) }
        return "\(sign) \(cells.joined(separator: "\t"))"
    }
}

/// Writes differences until there are enough.
struct DifferenceListing: ~Copyable {
    var writer: RowWriter<DifferenceRow>
    private let limit: Int

    init(writer: consuming RowWriter<DifferenceRow>, limit: Int) {
        self.writer = writer
        self.limit = limit
    }

    var count: Int { writer.count }

    var isFull: Bool { count >= limit }

    mutating func add(_ row: DifferenceRow) throws { try writer.write(row) }
}
