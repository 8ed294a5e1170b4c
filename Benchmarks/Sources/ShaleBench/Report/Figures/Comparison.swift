import Formatting

/// The results of all contenders in one setting.
struct Comparison: Sendable {
    let setting: Setting
    /// The series in the order of contenders.
    let series: [Series]

    /// A peer that was better than Shale.
    struct Loss: Equatable, Sendable {
        let peer: Contender
        let measure: Measure
        /// The ratio of Shale to the peer as in ``Comparison/ratio(_:to:)``: below 1.
        let ratio: Double
    }

    func series(of contender: Contender) -> Series? { series.first { $0.contender == contender } }

    /// True if the workload is one step such as opening, measured as a duration.
    var isOneStep: Bool { series.contains { $0.spread(.milliseconds) != nil } }

    var headline: Measure { isOneStep ? .milliseconds : .perSecond }

    /// Returns the Shale series with which `peer` is compared: the one of the same variant, otherwise the usual one.
    /// Stores without compression have one variant and are compared with the usual one.
    func shale(against peer: Contender) -> Series? {
        series(of: Contender(peer: Contender.shale, variant: peer.variant))
            ?? series(of: Contender(peer: Contender.shale))
    }

    /// Returns how many times better Shale's median is than that of `peer`: the ratio of Shale's throughput to the
    /// peer's, and the inverse for durations. `nil` if either was not measured.
    func ratio(_ measure: Measure, to peer: Contender) -> Double? {
        guard let ours = shale(against: peer)?.median(measure), let theirs = series(of: peer)?.median(measure) else {
            return nil
        }
        let ratio = measure.isBetterHigher ? ours / theirs : theirs / ours
        return ratio.isFinite ? ratio : nil
    }

    /// All peers that beat Shale by throughput, acknowledged or settled, or by duration.
    var losses: [Loss] {
        series.filter { !$0.contender.isShale && !$0.contender.isYardstick }.flatMap { series in
            [headline, .settledPerSecond].compactMap { measure in
                guard let ratio = ratio(measure, to: series.contender), ratio < 1 else { return nil }
                return Loss(peer: series.contender, measure: measure, ratio: ratio)
            }
        }
    }

    /// A short text about ``losses``; empty if there are none.
    var lossText: String {
        guard !losses.isEmpty else { return "" }
        let parts = losses.map { loss in
            "\(loss.peer.name) (\(loss.measure == .settledPerSecond ? "settled " : "")\(Format.ratio(loss.ratio)))"
        }
        return "behind " + parts.joined(separator: ", ")
    }
}

/// The repetitions of one contender in one setting.
struct Series: Sendable {
    let contender: Contender
    /// The rows by repetition, without warm-ups.
    let rows: [ResultRow]

    /// Returns the spread; `nil` if no repetition measured it.
    func spread(_ measure: Measure) -> Spread? { Spread(rows.compactMap(measure.value)) }

    func median(_ measure: Measure) -> Double? { spread(measure)?.median }

    /// The median repetition by its headline measure, whose latency curve and timeline are drawn. Averages of curves
    /// would hide the stalls.
    var typical: ResultRow? {
        guard !rows.isEmpty else { return nil }
        let headline: (ResultRow) -> Double = { $0.milliseconds ?? $0.perSecond }
        return rows.sorted { headline($0) < headline($1) }[(rows.count - 1) / 2]
    }

    var notes: [String] {
        rows.compactMap(\.note).reduce(into: []) { notes, note in
            if !notes.contains(note) { notes.append(note) }
        }
    }
}

/// The median of repetitions of one measurement, and their range.
struct Spread: Equatable, Sendable {
    let median: Double
    let min: Double
    let max: Double
    let count: Int

    /// Makes the spread; `nil` if there are no values. For an even number of values, the median is the mean of the
    /// middle two.
    init?(_ values: [Double]) {
        let sorted = values.filter(\.isFinite).sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        median = sorted.median
        min = first
        max = last
        count = sorted.count
    }

    /// The largest distance of a repetition from the median, as a part of the median. `nil` with one repetition, or at
    /// a median of 0.
    var deviation: Double? {
        guard count > 1, median > 0 else { return nil }
        return Swift.max(max - median, median - min) / median
    }
}

/// A store with one set of options: one line of a table.
struct Contender: Hashable, Sendable {
    let peer: String
    let variant: String
    /// The reason why this build is slower than the peer's best; empty if none is known.
    let handicap: String

    init(peer: String, variant: String = "", handicap: String = "") {
        self.peer = peer
        self.variant = variant
        self.handicap = handicap
    }

    init(of row: ResultRow) { self.init(peer: row.peer, variant: row.variant, handicap: row.handicap ?? "") }

    static let shale = "shale"

    var isShale: Bool { peer == Contender.shale }

    var isYardstick: Bool { Contender.yardsticks.contains { $0.peer == peer } }

    /// True for the options of the bars, which count the better ones of each peer.
    var isUsual: Bool { PeerSettings.Variant(rawValue: variant)?.isUsual ?? false }

    /// `RocksDB (distribution's build), uncompressed`.
    var name: String {
        Contender.name(of: peer) + (handicap.isEmpty ? "" : " (\(handicap))") + (variant.isEmpty ? "" : ", " + variant)
    }

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
        ("unobserved", "Unobserved"), ("plainset", "Plain set"), ("nodictionaries", "No dictionaries"),
    ]

    static func name(of peer: String) -> String { names.first { $0.peer == peer }?.name ?? peer }

    /// The index in ``names``; unknown peers come last.
    var rank: Int { Contender.names.firstIndex { $0.peer == peer } ?? Contender.names.count }
}

extension Contender: Comparable {
    static func < (left: Contender, right: Contender) -> Bool {
        (left.rank, left.peer, left.variant, left.handicap) < (right.rank, right.peer, right.variant, right.handicap)
    }
}

/// All properties that must be equal for rows of different contenders to be compared.
struct Setting: Hashable, Sendable {
    let workload: String
    let after: String
    private(set) var entries: Int
    let keyBytes: Int
    let valueBytes: Int
    let threads: Int
    /// The operations per second that were due; `nil` at full speed.
    let rate: Double?
    /// The maximum of memory for the process, page cache included; `nil` without a limit.
    let memoryLimit: Int?

    init(of row: ResultRow) {
        workload = row.workload
        after = row.after
        entries = row.entries
        keyBytes = row.keyBytes
        valueBytes = row.valueBytes
        threads = row.threads
        rate = row.paced?.ratePerSecond
        memoryLimit = row.memoryLimitBytes
    }

    /// Returns the setting with another number of entries.
    func with(entries: Int) -> Setting {
        var setting = self
        setting.entries = entries
        return setting
    }

    /// The properties without the workload: `n = 2 000 000, 16 + 100 B, 2 threads, after compact`.
    var details: String {
        var parts = [
            "n\u{A0}=\u{A0}\(Format.grouped(Double(entries)))", "\(keyBytes)\u{A0}+\u{A0}\(Format.bytes(valueBytes))",
        ]
        parts.append(threads == 1 ? "1 thread" : "\(threads) threads")
        if !after.isEmpty { parts.append("after \(after)") }
        if let memoryLimit { parts.append("memory limited to \(Format.mebibytes(Double(memoryLimit)))") }
        if let rate { parts.append("paced at \(Format.grouped(rate))/s") }
        return parts.joined(separator: ", ")
    }
}

extension Array<Double> {
    /// The middle element, or the mean of the two in the middle; 0 if empty.
    var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}
