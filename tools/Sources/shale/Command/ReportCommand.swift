import ArgumentParser
import Shale

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
