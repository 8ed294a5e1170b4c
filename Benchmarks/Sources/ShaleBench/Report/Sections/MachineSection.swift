import Formatting
import Pages

/// The machine and the versions of the measurements, and what the machine can do without a store.
struct MachineSection {
    let figures: Figures

    private var machine: ResultMachine { figures.file.machine }

    var section: Section {
        Section(
            id: "machine", title: "Machine and settings",
            content: .group([
                tag("dl", ["class": "machine"]) {
                    for (name, value) in facts {
                        tag("dt") { name }
                        tag("dd") { value }
                    }
                },
                tag("h3") { "Settings of each store" },
                settings,
                rooflines,
            ]))
    }

    private var facts: [(String, String)] {
        let sync = machine.fsyncMicroseconds
        var facts = [
            ("Processor", "\(machine.cpu), \(machine.cores) cores"),
            ("Memory", Format.mebibytes(Double(machine.memoryBytes))),
            ("Kernel", machine.kernel),
            ("File system", "\(machine.fileSystem), device \(machine.device)"),
            (
                "fdatasync",
                "p50 \(Format.duration(microseconds: sync.p50)), p99 \(Format.duration(microseconds: sync.p99))"
            ),
            ("Compiler", machine.compiler),
            ("Flags", machine.flags),
            ("Revision", machine.revision),
            ("Begun", machine.date),
        ]
        if let clock = machine.clockNanoseconds {
            facts.append(("Clock", "\(Format.fixed(clock, 0)) ns a reading, of which every operation has one inside"))
        }
        if let load = machine.loadAverage {
            facts.append(("Load", "\(Format.fixed(load, 2)) in the minute before the run"))
        }
        return facts
    }

    private var settings: Markup {
        let peers = Set(machine.settings.keys).union(machine.versions.keys).map { Contender(peer: $0) }.sorted()
        return HTMLTable(
            caption: "Version and options of each store", titles: ["Store", "Version", "Options"],
            lines: peers.map { peer in
                [
                    HTMLTable.Cell(text: peer.name), HTMLTable.Cell(text: machine.versions[peer.peer] ?? "–"),
                    HTMLTable.Cell(text: machine.settings[peer.peer] ?? "–", style: "figures"),
                ]
            }, words: [0, 1, 2], isStacked: true
        ).markup
    }

    private struct Limit: Hashable {
        let name: String
        let threads: Int?
    }

    private var rooflines: Markup {
        let limits = figures.file.rooflines.map { Limit(name: $0.name, threads: $0.threads) }
            .reduce(into: [Limit]()) { limits, limit in
                if !limits.contains(limit) { limits.append(limit) }
            }
        guard !limits.isEmpty else { return .none }
        return .group([
            tag("h3") { "Rooflines: the machine without a store, in the same run" },
            HTMLTable(
                caption: "Rooflines", titles: ["Limit", "Threads", "Median per second", "Min", "Max"],
                lines: limits.compactMap(line)
            ).markup,
        ])
    }

    private func line(_ limit: Limit) -> [HTMLTable.Cell]? {
        figures.roofline(limit.name, threads: limit.threads).map { spread in
            [limit.name, limit.threads.map(String.init) ?? "–"].map { HTMLTable.Cell(text: $0) }
                + [spread.median, spread.min, spread.max].map { HTMLTable.Cell(text: Format.grouped($0)) }
        }
    }
}

/// The section about the measurement of the figures and their meaning.
struct MethodSection {
    let figures: Figures

    var section: Section {
        Section(
            id: "method", title: "Method",
            content: tag("ul", ["class": "notes"]) { for note in Method.notes(figures) { tag("li") { note } } })
    }
}

/// The description of how the figures were measured.
enum Method {
    static func repetitions(_ figures: Figures) -> String {
        let counts = figures.repetitions
        let isFixed = counts.lowerBound == counts.upperBound
        let times = isFixed ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
        let thrown = figures.warmUpCount
        return "\(times) repetition\(times == "1" ? "" : "s"), "
            + (thrown == 0 ? "no warm-up thrown away" : "\(thrown) warm-up rows thrown away")
    }

    static func notes(_ figures: Figures) -> [String] {
        [
            "\(repetitions(figures)). The stores take turns within a repetition, so that a slow minute of the machine "
                + "hits all of them. Rows of the warm-up are in the file and in no median.",
            "Every figure is the median of the repetitions. Whiskers and “min to max” show all of them; nothing is "
                + "left out as an outlier. ±% on the terminal is the repetition that lies farthest from the median.",
            "A ratio is Shale's median divided by the peer's for throughput, and the peer's divided by Shale's for "
                + "durations: above 1× Shale is faster. For memory, disk and bytes written, above 1× Shale needs "
                + "less. ▲ marks what is ahead of Shale. Bars that say “≤ 0.9 × a peer” divide Shale's figure by the "
                + "peer's as it is.",
            "Throughput counts to the last acknowledgement; settled throughput, the thin bar, counts the time until "
                + "the background had nothing left to do as well.",
            "Latencies are from HdrHistogram, percentiles of single operations. Paced loads count from when an "
                + "operation was due, which corrects for coordinated omission; loads at full speed count from when it "
                + "began. Curves and timelines are those of the repetition in the middle.",
            "A variant of a store is compared with the same variant of Shale if there is one, otherwise with the "
                + "usual one. Bars leave uncompressed variants out. Of blocks of 4 and 16 KiB, of GRDB's pool and "
                + "queue, and of RocksDB's column families and key prefixes they take the better.",
            "A handicap beside a name is a build that is slower than the store's best: distributions build RocksDB "
                + "and LevelDB with assertions and without the processor's CRC. `Benchmarks/setup --optimized` builds "
                + "both without that.",
            "Rows in which Shale stands beside a part of itself (its engine, the coder, a writer whom nobody "
                + "observes, a store without dictionaries) come from one process, in which the sides take turns of "
                + "256 operations; the figure is that of the median turn.",
            "Durability is the same in a row: each commit is in the page cache before it is acknowledged, and on the "
                + "device in fillsync. The options of each store are under “Machine and settings”.",
        ]
    }
}
