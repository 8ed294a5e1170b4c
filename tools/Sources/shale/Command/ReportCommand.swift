import ArgumentParser
import Shale
import ShaleEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct ReportCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Makes a page for a browser that shows a store's statistics.",
        discussion: """
            EXAMPLES
              shale report DIR -o report.html
              shale report DIR -o - | ssh desk 'cat > report.html'

            The page shows the levels, space by namespace, live, purgeable and dead bytes,
            sizes of values, and amplification. It is one file without scripts that loads
            nothing. The command reads every entry; the page shows no key and no value.
            """)

    @OptionGroup var store: StoreArgument

    @Option(
        name: [.customShort("o"), .customLong("output")], help: "The file to write; \"-\" is standard output.",
        completion: .file())
    var file: String

    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let store = try StoreAccess.open(self.store.path, .readOnly)
        let progress = Progress("report", isQuiet: output.quiet)
        var scan = LiveScan()
        for description in store.engine.namespaces {
            try scan.add(description.id, of: store.engine) { count in
                progress.update(fraction: nil, "\(Figures.count(count)) entries")
            }
        }
        progress.erase()
        let page = try page(store, scan)
        try store.close()
        try write(page.html())
    }

    private func page(_ store: Store, _ scan: LiveScan) throws -> StorePage {
        let statistics = try StatsReport(store, path: self.store.path, rows: .namespaces)
        let names = statistics.namespaces.compactMap { namespace in
            namespace.name.map { (namespace.id, Shown(namespace: $0, user: namespace.user)) }
        }
        return StorePage(
            path: Shown(self.store.path), made: Shown(timestamp(Date())), statistics: statistics, scan: scan,
            names: Dictionary(names) { first, _ in first })
    }

    private func write(_ page: String) throws {
        if file == "-" { return try Terminal.put(Shown(lines: page)) }
        try OutputFile.replace(file, with: Array(page.utf8))
    }
}

/// The result of reading all visible entries: sizes, and the largest entries. O(entries).
struct LiveScan {
    /// The figures of one namespace.
    struct Live {
        var entries: UInt64 = 0
        /// The bytes of keys and values as the engine stores them, uncompressed.
        var rawBytes: UInt64 = 0
        var purgeableRawBytes: UInt64 = 0
    }

    private(set) var namespaces: [NamespaceID: Live] = [:]
    private(set) var total = Live()
    private(set) var valueSizes = SizeHistogram()
    private(set) var largest: LargestEntries

    init(keeping limit: Int = 0, by order: LargestEntries.Order = .value) {
        largest = LargestEntries(limit: limit, by: order)
    }

    /// Reads all entries of a namespace of `engine`. `progress` receives the number of entries so far, every 4096
    /// entries.
    mutating func add(
        _ id: NamespaceID, of engine: Engine, progress: (UInt64) -> Void = { _ in }
    ) throws(StorageError) {
        var live = Live()
        var cursor = try engine.cursor(in: id)
        while try cursor.next() {
            let (keyBytes, valueBytes) = (cursor.key.byteCount, cursor.value.byteCount)
            let isPurgeable = cursor.info.isPurgeable
            live.entries += 1
            // The key includes the namespace's id, as in statistics.
            let bytes = UInt64(keyBytes + valueBytes + 4)
            live.rawBytes += bytes
            if isPurgeable { live.purgeableRawBytes += bytes }
            valueSizes.add(valueBytes)
            if largest.admits(keyBytes, valueBytes) {
                largest.add(
                    .init(
                        namespace: id, key: cursor.key.array,
                        valueBytes: valueBytes, isPurgeable: isPurgeable))
            }
            if live.entries.isMultiple(of: 4096) { progress(total.entries + live.entries) }
        }
        namespaces[id] = live
        total.entries += live.entries
        total.rawBytes += live.rawBytes
        total.purgeableRawBytes += live.purgeableRawBytes
    }
}

/// The number of values of each size, by powers of two.
struct SizeHistogram {
    /// `counts[n]`: values of 2^(n − 1) to 2^n − 1 bytes; `counts[0]`: empty values.
    private(set) var counts: [UInt64] = []

    mutating func add(_ size: Int) {
        let bucket = Int.bitWidth - size.leadingZeroBitCount
        while counts.count <= bucket { counts.append(0) }
        counts[bucket] += 1
    }

    /// Returns the smallest and the largest size of a bucket.
    static func bounds(_ bucket: Int) -> ClosedRange<Int> {
        bucket == 0 ? 0...0 : (1 << (bucket - 1))...((1 << bucket) - 1)
    }
}

/// The largest entries seen so far.
struct LargestEntries {
    enum Order: String, CaseIterable { case value, key }

    struct Entry {
        let namespace: NamespaceID
        let key: [UInt8]
        /// The size of the value as the engine stores it, with the envelope's header.
        let valueBytes: Int
        let isPurgeable: Bool
    }

    private let limit: Int
    private let order: Order
    /// Largest first; of equal ones, the first found comes first.
    private(set) var entries: [Entry] = []

    init(limit: Int, by order: Order) {
        self.limit = limit
        self.order = order
    }

    private func size(_ keyBytes: Int, _ valueBytes: Int) -> Int { order == .value ? valueBytes : keyBytes }

    private func size(_ entry: Entry) -> Int { size(entry.key.count, entry.valueBytes) }

    func admits(_ keyBytes: Int, _ valueBytes: Int) -> Bool {
        guard limit > 0 else { return false }
        guard entries.count == limit, let last = entries.last else { return true }
        return size(keyBytes, valueBytes) > size(last)
    }

    mutating func add(_ entry: Entry) {
        let place = entries.firstIndex { size($0) < size(entry) } ?? entries.count
        entries.insert(entry, at: place)
        if entries.count > limit { entries.removeLast() }
    }
}
