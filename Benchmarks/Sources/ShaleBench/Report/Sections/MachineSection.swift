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
