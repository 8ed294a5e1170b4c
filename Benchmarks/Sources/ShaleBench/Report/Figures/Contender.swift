/// A store with one set of options: one line of a table.
struct Contender: Hashable, Sendable {
    let peer: String
    let variant: String

    init(peer: String, variant: String = "") {
        self.peer = peer
        self.variant = variant
    }

    init(of row: ResultRow) { self.init(peer: row.peer, variant: row.variant) }

    static let shale = "shale"

    var isShale: Bool { peer == Contender.shale }

    var isYardstick: Bool { Contender.yardsticks.contains { $0.peer == peer } }

    /// `RocksDB, uncompressed`.
    var name: String { variant.isEmpty ? Contender.name(of: peer) : "\(Contender.name(of: peer)), \(variant)" }

    /// The known peers, in the order of all tables and charts.
    private static let names: [(peer: String, name: String)] =
        [
            ("shale", "Shale"), ("leveldb", "LevelDB"), ("rocksdb", "RocksDB"), ("lmdb", "LMDB"), ("sqlite", "SQLite"),
            ("grdb", "SQLite (GRDB)"), ("userdefaults", "UserDefaults"), ("files", "File archive"),
        ] + yardsticks

    /// Parts of Shale and of its dependencies, with which Shale is compared to show the cost of the rest. They are no
    /// peers.
    private static let yardsticks: [(peer: String, name: String)] = [
        ("engine", "Engine alone"), ("encoder", "Coder alone"), ("plainencoder", "Coder as it comes"),
        ("encoderengine", "Coder and engine"),
        ("unobserved", "Unobserved"), ("nodictionaries", "No dictionaries"),
    ]

    static func name(of peer: String) -> String { names.first { $0.peer == peer }?.name ?? peer }

    /// The index in ``names``; unknown peers come last.
    var rank: Int { Contender.names.firstIndex { $0.peer == peer } ?? Contender.names.count }
}

extension Contender: Comparable {
    static func < (left: Contender, right: Contender) -> Bool {
        (left.rank, left.peer, left.variant) < (right.rank, right.peer, right.variant)
    }
}
