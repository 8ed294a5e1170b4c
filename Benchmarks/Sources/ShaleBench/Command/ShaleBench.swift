import ArgumentParser
import Posix

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@main
struct ShaleBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shale-bench",
        abstract: "Measures the engine beside its peers and beside what the machine itself can do.",
        subcommands: [
            RunCommand.self, ReportCommand.self, CompactionCommand.self, BesideCommand.self, BackupCommand.self,
            MeasureCommand.self, CrashCommand.self, BesideReaderCommand.self, BesideBackupCommand.self,
        ],
        defaultSubcommand: RunCommand.self)

    static var isDebugBuild: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }
}

/// The measuring process: it runs one assignment and writes its rows to standard output.
struct MeasureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure", abstract: "Works off an assignment of `run`.", shouldDisplay: false)

    @Argument var assignment: String

    func run() throws {
        let assignment = try Assignment(encoded: assignment)
        if let group = assignment.memoryGroup { try MemoryGroup.enter(group) }
        let (name, path, settings) = (assignment.peer, assignment.directory, assignment.settings)
        let report = { (row: ResultRow) in
            try writeFully([UInt8](ResultLine.row(row).encoded()), to: STDOUT_FILENO, named: "standard output")
        }
        switch assignment.steps.first?.workload.subject {
        case .typed: try TypedBench(assignment, name.typedPeer(at: path, settings), report: report).run()
        case .records:
            guard let peer = name.recordPeer(at: path, settings) else { return }
            try RecordBench(assignment, peer, report: report).run()
        case .bytes, nil: try Workbench(assignment, try name.peer(at: path, settings), report: report).run()
        case .layers:
            guard name == .shale else { return }
            try LayerBench(assignment, report: report).run()
        case .namespaces:
            guard let peer = name.namespacedPeer(at: path, settings, count: assignment.entries) else { return }
            try NamespaceBench(assignment, peer, report: report).run()
        }
    }
}

/// The process that the workload `crashreopen` kills.
struct CrashCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crash", abstract: "Fills a store and waits to be killed.", shouldDisplay: false)

    @Argument var assignment: String

    func run() throws { try CrashChild.fill(Assignment(encoded: assignment)) }
}

/// A run that can't continue, or a wrong result.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Makes the error for a store that returned something else than what was written. Never acceptable: the run fails.
    static func wrong(_ what: String) -> BenchError { BenchError("verification failed: \(what)") }
}
