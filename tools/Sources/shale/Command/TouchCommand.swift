import ArgumentParser
import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct TouchCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "touch",
        abstract: "Gives keys another expiry or purgeability.",
        discussion: """
            EXAMPLES
              shale touch DIR sessions s1 s2 --expires-after 7d
              shale touch DIR sessions s1 --expires-at 2027-01-01T00:00:00Z
              shale touch DIR drafts d1 --never-expires --not-purgeable

            Values keep their bytes and their type, and encrypted ones stay encrypted, which
            needs the store's key. What no option names stays as it is. All keys change
            in one atomic step. For purge policies it counts as a write.

            \(KeyFormOptions.explanation)

            Ends with code 1 if a key does not exist; the others are changed, and the
            missing ones are named.
            """)

    @OptionGroup var store: StoreArgument

    @OptionGroup var place: NamespaceArguments

    @Argument(help: "The keys.")
    var key: [String]

    @OptionGroup var form: KeyFormOptions

    @Option(help: "The time after which the entries expire: 90s, 30m, 12h, 7d.")
    var expiresAfter: Lifetime?

    @Option(help: ArgumentHelp("The date when the entries expire, in ISO 8601.", valueName: "date"))
    var expiresAt: DateArgument?

    @Flag(help: "The entries never expire.")
    var neverExpires = false

    @Flag(help: "Make the entries purgeable.")
    var purgeable = false

    @Flag(help: "Make the entries not purgeable.")
    var notPurgeable = false

    @Flag(help: "Make the change durable against power loss before the command ends.")
    var synced = false

    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        let expiries = [expiresAfter != nil, expiresAt != nil, neverExpires].count { $0 }
        if expiries > 1 {
            throw ValidationError("--expires-after, --expires-at and --never-expires exclude each other")
        }
        if purgeable, notPurgeable { throw ValidationError("--purgeable and --not-purgeable exclude each other") }
        if expiries == 0, !purgeable, !notPurgeable {
            throw ValidationError("name a new expiry or purgeability")
        }
    }

    func run() throws {
        let path = try place.path()
        let wanted = try key.map { try KeyArgument.bytes($0, form.form) }
        let asks = try isAnyEncrypted(wanted, path)
        let store = try StoreAccess.open(self.store.path, .openExisting, keys, asks: asks)
        let namespace = try store.existingNamespace(path)
        let missing = try store.transaction(durability: synced ? .synced : .buffered) {
            (transaction) throws(StorageError) in
            var missing: [[UInt8]] = []
            for key in wanted {
                if try !touch(key, namespace, transaction) { missing.append(key) }
            }
            return missing
        }
        try store.close()
        let report = TouchReport(
            namespace: path.text, user: path.user, touched: wanted.count - missing.count,
            missing: missing.map { MissingKey($0) })
        try report.show(output)
        guard !missing.isEmpty else { return }
        try MissingKey.note(report.missing, in: path, output)
        throw ExitCode(ExitStatus.different.rawValue)
    }

    /// Returns true if the store's key is needed.
    private func isAnyEncrypted(_ keys: [[UInt8]], _ path: NamespacePath) throws -> Bool {
        let store = try StoreAccess.open(self.store.path, .readOnly)
        let namespace = try store.existingNamespace(path)
        let isAny = try keys.contains { try namespace.info(forKey: $0)?.isEncrypted == true }
        try store.close()
        return isAny
    }

    /// Writes the same value with other options. Returns false if the key does not exist.
    private func touch(
        _ key: [UInt8], _ namespace: Store.Namespace, _ transaction: borrowing Store.Transaction
    ) throws(StorageError) -> Bool {
        let reader = transaction[namespace]
        guard let info = try reader.info(forKey: key), let payload = try reader.payload(forKey: key) else {
            return false
        }
        try transaction.setPayload(
            payload.bytes, codec: payload.codec, forKey: key, in: namespace, options: [info.options, changes])
        return true
    }

    /// The options that the command line names.
    private var changes: ValueOptions {
        var changes: [ValueOptions] = []
        if purgeable || notPurgeable { changes.append(purgeable ? .purgeable : .notPurgeable) }
        if let expiresAfter { changes.append(.expires(after: expiresAfter.duration)) }
        if let expiresAt { changes.append(.expires(atMillisecondOf: expiresAt.date)) }
        if neverExpires { changes.append(.neverExpires) }
        return changes.reduce([]) { [$0, $1] }
    }
}

extension ValueOptions {
    /// Returns the option for a date in whole milliseconds.
    ///
    /// ``expires(at:)`` rounds up, and a `Date` may be a little above the millisecond that it was made from. Half a
    /// millisecond less therefore gives that millisecond again.
    static func expires(atMillisecondOf date: Date) -> ValueOptions { .expires(at: date.addingTimeInterval(-0.0005)) }
}

struct TouchReport: Report {
    static let command = "touch"

    let namespace: String
    let user: String?
    /// The number of changed entries.
    let touched: Int
    let missing: [MissingKey]

    func text() -> Shown { "changed \(Figures.count(touched, "entry", "entries"))" }
}
