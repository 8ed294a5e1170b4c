import Formatting
import Posix

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Runs a plan: one child process at a time for each peer, scenario and repetition, with alternating peers.
struct Driver {
    let plan: Plan
    let peers: [PeerName]
    let seed: UInt64
    /// The directory for the data, which its creator removes.
    let directory: String
    let log: ResultLog

    /// Returns the failed measurements; all others were made.
    func run() throws -> [String] {
        var failures: [String] = []
        try say(Progress.heading())
        for run in (plan.warmsUp ? -1 : 0)..<plan.repetitions {
            for line in try Rooflines(directory: directory, settings: PeerSettings(), run: run).machine(seed: seed) {
                try log.append(.roofline(line))
            }
            for scenario in plan.scenarios where run < (scenario.repetitionsMax ?? .max) {
                // A scenario that is not repeated needs no warm-up.
                if run < 0, scenario.repetitionsMax != nil { continue }
                for peer in turns(scenario, run) where try !measure(scenario, peer, run) {
                    failures.append("\(peer.rawValue): \(scenario.steps[0].workload.rawValue) and what follows it")
                }
            }
        }
        return failures
    }

    /// Returns the peers for a scenario; another one begins in each repetition.
    private func turns(_ scenario: Scenario, _ run: Int) -> [PeerName] {
        let chosen = scenario.peers.filter {
            peers.contains($0) && $0.has(scenario.variant)
                && (scenario.subject == .typed || scenario.subject == .records || PeerName.engines.contains($0))
        }
        guard !chosen.isEmpty else { return [] }
        let first = max(0, run) % chosen.count
        return Array(chosen[first...] + chosen[..<first])
    }

    /// Runs one child. Returns false if it failed; it has printed the reason.
    private func measure(_ scenario: Scenario, _ peer: PeerName, _ run: Int) throws -> Bool {
        var assignment = Assignment(
            peer: peer, entries: scenario.entries, seed: seed, directory: directory + "/store", steps: scenario.steps)
        assignment.run = run
        assignment.settings.variant = scenario.variant
        assignment.settings.valueBytes = scenario.valueBytes
        assignment.settings.memoryBudget = scenario.memoryBudget
        assignment.operationsMax = scenario.operationsMax
        let rooflines = Rooflines(directory: directory, settings: assignment.settings, run: run)
        for line in try rooflines.fileSystem(for: scenario.steps) { try log.append(.roofline(line)) }
        try removeStore(assignment)
        let group = try scenario.memoryLimit.map { try MemoryGroup(bytes: $0) }
        (assignment.memoryGroup, assignment.memoryLimitBytes) = (group?.path, scenario.memoryLimit)
        let child = try ChildProcess(try thisProgram, ["measure", try assignment.encoded()])
        while let text = try child.readLine() {
            let line = try JSONDecoder().decode(ResultLine.self, from: Data(text.utf8))
            try log.append(line)
            if case .row(let row) = line { try say(Progress.text(row)) }
        }
        let ending = try child.wait()
        try group?.remove()
        try removeStore(assignment)
        return ending == .exited(0)
    }

    /// Removes the store. Also waits until the kernel has written its dirty pages, so that one peer's data is not
    /// written while the next one is measured.
    private func removeStore(_ assignment: Assignment) throws {
        if FileManager.default.fileExists(atPath: assignment.directory) {
            try FileManager.default.removeItem(atPath: assignment.directory)
        }
        sync()
    }

    private func say(_ text: String) throws {
        try writeFully(Array((text + "\n").utf8), to: STDERR_FILENO, named: "standard error")
    }
}

/// The output during a run: a line for each row as soon as it is measured.
enum Progress {
    static func heading() -> String {
        line(["run", "peer", "workload", "n", "thr", "ops/s", "settled/s", "p50", "p99", "p99.9", "max"])
    }

    static func text(_ row: ResultRow) -> String {
        let peer = row.peer + (row.variant.isEmpty ? "" : "/" + row.variant)
        let workload = row.workload + (row.after == "compact" && row.workload != "compact" ? " (compacted)" : "")
        let rate = row.milliseconds.map { Format.fixed($0, 2) + " ms" } ?? Format.grouped(row.perSecond)
        let settled = row.settledPerSecond.map { row.milliseconds == nil ? Format.grouped($0) : "-" } ?? "-"
        let latency = row.latency.map { [$0.p50, $0.p99, $0.p999, $0.max].map(Format.microseconds) }
        return line(
            [
                row.run < 0 ? "warm" : String(row.run), peer, workload, Format.grouped(Double(row.entries)),
                String(row.threads), rate, settled,
            ] + (latency ?? ["-", "-", "-", "-"]))
    }

    private static let widths = [4, 20, 24, 10, 3, 13, 12, 9, 9, 9, 9]

    private static func line(_ cells: [String]) -> String {
        zip(cells, widths).enumerated().map { index, cell in
            index == 1 || index == 2 ? cell.0.padded(to: cell.1) : cell.0.paddedLeft(to: cell.1)
        }.joined(separator: " ")
    }
}

/// A result file that is being written: measured rows stay, whatever happens afterwards.
final class ResultLog {
    let path: String
    private let descriptor: Int32

    /// Creates the file, replacing an older one at `path`.
    init(path: String) throws {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemCallError("open", path) }
    }

    deinit { close(descriptor) }

    func append(_ line: ResultLine) throws {
        try writeFully([UInt8](line.encoded()), to: descriptor, named: path)
    }
}
