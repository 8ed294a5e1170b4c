import ArgumentParser
import Shale

struct OptionsCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "options",
        abstract: "Shows and sets the options of a namespace.",
        discussion: """
            EXAMPLES
              shale options DIR sessions
              shale options DIR sessions --time-to-live 7d --purgeable
              shale options DIR thumbnails --purge-above 500M --trim-to 0.8 \\
                  --purge-order least-recently-used-first
              shale options DIR previews --purge-above 50M --purge-enforcement on-write
              shale options DIR tokens --encrypted --key-file store.key --create

            Without an option that sets something, the options are only shown. Options that
            are not named stay as they are. Later writes use the new options; stored
            entries keep their own. "touch" changes those.

            A purge policy removes purgeable entries only, while a program has the store
            open: at intervals of some minutes, and with --purge-enforcement on-write also
            before each write that would exceed --purge-above. The options of a
            version-scoped namespace can only be set by its application, because they
            record its version.
            """)

    @OptionGroup var store: StoreArgument

    @OptionGroup var place: NamespaceArguments

    @Flag(inversion: .prefixedNo, exclusivity: .exclusive, help: "Entries are purgeable.")
    var purgeable: Bool?

    @Flag(inversion: .prefixedNo, exclusivity: .exclusive, help: "Values are encrypted.")
    var encrypted: Bool?

    @Option(help: ArgumentHelp("The time until entries expire: 90s, 30m, 12h, 7d, or never.", valueName: "time"))
    var timeToLive: OptionalLifetime?

    @Option(
        help: ArgumentHelp(
            "Purge entries that were not written for this long: 90s, 30m, 12h, 7d, or never.", valueName: "time"))
    var purgeAfter: OptionalLifetime?

    @Option(
        help: ArgumentHelp(
            "Purge entries above this size, in bytes or as in 500M, 2G; or never.", valueName: "bytes"))
    var purgeAbove: OptionalByteCount?

    @Option(help: ArgumentHelp("The share of --purge-above that is kept, 0 to 1.", valueName: "share"))
    var trimTo: Double?

    @Option(help: "Which entries are purged first: oldest-first or least-recently-used-first.")
    var purgeOrder: PurgeOrderArgument?

    @Option(help: "When --purge-above is enforced: at-intervals or on-write.")
    var purgeEnforcement: PurgeEnforcementArgument?

    @Flag(help: "Create the namespace if it does not exist.")
    var create = false

    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    private var sets: Bool {
        purgeable != nil || encrypted != nil || timeToLive != nil || purgeAfter != nil || purgeAbove != nil
            || trimTo != nil || purgeOrder != nil || purgeEnforcement != nil || create
    }

    func validate() throws {
        if let trimTo, !(0...1 ~= trimTo) { throw ValidationError("--trim-to takes 0 to 1") }
    }

    func run() throws {
        let path = try place.path()
        let store = try StoreAccess.open(self.store.path, sets ? .openExisting : .readOnly, keys)
        let namespace = create ? store.namespace(path) : try store.existingNamespace(path)
        if sets { try set(namespace) }
        let report = OptionsReport(path, try namespace.options)
        try store.close()
        try report.show(output)
    }

    private func set(_ namespace: Store.Namespace) throws {
        var options = try namespace.options
        guard !options.isVersionScoped else {
            throw ToolFailure.usage(
                "\(namespace.displayName) belongs to a version of its application: only the application can set its "
                    + "options")
        }
        if let purgeable { options.isPurgeable = purgeable }
        if let encrypted { options.isEncrypted = encrypted }
        if let timeToLive { options.timeToLive = timeToLive.duration }
        if let purgeAfter { options.purgePolicy.maximumAge = purgeAfter.duration }
        if let purgeAbove {
            options.purgePolicy.maximumBytes = purgeAbove.bytes
            if purgeAbove.bytes == nil { options.purgePolicy.enforcement = .atIntervals }
        }
        if let trimTo { options.purgePolicy.trimTo = trimTo }
        if let purgeOrder { options.purgePolicy.order = purgeOrder.order }
        if let purgeEnforcement { options.purgePolicy.enforcement = purgeEnforcement.enforcement }
        let isLimited = options.purgePolicy.isAutomatic
        if !isLimited, trimTo != nil || purgeOrder != nil {
            throw ToolFailure.usage("--trim-to and --purge-order need --purge-after or --purge-above")
        }
        if options.purgePolicy.enforcement == .onWrite, options.purgePolicy.maximumBytes == nil {
            throw ToolFailure.usage("--purge-enforcement on-write needs --purge-above")
        }
        if options.purgePolicy.enforcement == .onWrite, options.purgePolicy.trimTo > 0.9 {
            throw ToolFailure.usage("--purge-enforcement on-write needs --trim-to of at most 0.9")
        }
        try namespace.setOptions(options)
    }
}

/// A duration in an argument, or `never`.
struct OptionalLifetime: ExpressibleByArgument {
    /// `nil` for `never`.
    let duration: Duration?

    init?(argument: String) {
        guard argument != "never" else {
            duration = nil
            return
        }
        guard let lifetime = Lifetime(argument: argument) else { return nil }
        duration = lifetime.duration
    }
}

/// A number of bytes in an argument, or `never`.
struct OptionalByteCount: ExpressibleByArgument {
    /// `nil` for `never`.
    let bytes: Int64?

    init?(argument: String) {
        guard argument != "never" else {
            bytes = nil
            return
        }
        guard let count = ByteCountArgument(argument: argument), let bytes = Int64(exactly: count.bytes) else {
            return nil
        }
        self.bytes = bytes
    }
}

struct PurgeOrderArgument: ExpressibleByArgument, CaseIterable {
    let order: PurgePolicy.Order

    static let allCases = [PurgePolicy.Order.oldestFirst, .leastRecentlyUsedFirst].map { PurgeOrderArgument($0) }
    static var allValueStrings: [String] { allCases.map(\.name) }

    init(_ order: PurgePolicy.Order) { self.order = order }

    init?(argument: String) {
        guard let match = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = match
    }

    var name: String {
        switch order {
        case .oldestFirst: "oldest-first"
        case .leastRecentlyUsedFirst: "least-recently-used-first"
        }
    }
}

struct PurgeEnforcementArgument: ExpressibleByArgument, CaseIterable {
    let enforcement: PurgePolicy.Enforcement

    static let allCases = [PurgePolicy.Enforcement.atIntervals, .onWrite].map { PurgeEnforcementArgument($0) }
    static var allValueStrings: [String] { allCases.map(\.name) }

    init(_ enforcement: PurgePolicy.Enforcement) { self.enforcement = enforcement }

    init?(argument: String) {
        guard let match = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = match
    }

    var name: String {
        switch enforcement {
        case .atIntervals: "at-intervals"
        case .onWrite: "on-write"
        }
    }
}

struct OptionsReport: Report {
    static let command = "options"

    let namespace: String
    let user: String?
    let purgeable: Bool
    let encrypted: Bool
    let versionScoped: Bool
    let timeToLiveSeconds: Double?
    let maximumAgeSeconds: Double?
    let maximumBytes: Int64?
    let trimTo: Double?
    let purgeOrder: String?
    let purgeEnforcement: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case namespace, user, purgeable, encrypted, versionScoped, timeToLiveSeconds, maximumAgeSeconds, maximumBytes
        case trimTo, purgeOrder, purgeEnforcement
    }

    init(_ path: NamespacePath, _ options: NamespaceOptions) {
        namespace = path.text
        user = path.user
        purgeable = options.isPurgeable
        encrypted = options.isEncrypted
        versionScoped = options.isVersionScoped
        timeToLiveSeconds = options.timeToLive?.seconds
        let policy = options.purgePolicy
        maximumAgeSeconds = policy.maximumAge?.seconds
        maximumBytes = policy.maximumBytes
        trimTo = policy.isAutomatic ? policy.trimTo : nil
        purgeOrder = policy.isAutomatic ? PurgeOrderArgument(policy.order).name : nil
        purgeEnforcement = policy.maximumBytes.map { _ in PurgeEnforcementArgument(policy.enforcement).name }
    }

    var table: RowTable { RowTable(columns: CodingKeys.allCases.map(\.rawValue), [self]) }

    func text() -> Shown {
        let never: Shown = "never"
        var table = Table([])
        table.add("purgeable", purgeable ? "yes" : "no")
        table.add("encrypted", encrypted ? "yes" : "no")
        if versionScoped { table.add("version-scoped", "yes") }
        table.add("time to live", timeToLiveSeconds.map { Figures.duration(.seconds($0)) } ?? never)
        table.add("purge after", maximumAgeSeconds.map { Figures.duration(.seconds($0)) } ?? never)
        table.add("purge above", maximumBytes.map { Figures.bytes($0) } ?? never)
        if maximumBytes != nil, let trimTo { table.add("trim to", Figures.decimal(trimTo, 2)) }
        if let purgeOrder { table.add("purge order", Shown(purgeOrder)) }
        if let purgeEnforcement { table.add("purge enforced", Shown(purgeEnforcement)) }
        return table.text
    }
}
