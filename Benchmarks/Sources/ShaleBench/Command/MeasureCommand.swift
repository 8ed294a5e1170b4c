import ArgumentParser

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The process that measures: it works off one assignment and writes its rows to standard output.
struct MeasureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure", abstract: "Works off an assignment of `run`.", shouldDisplay: false)

    @Argument var assignment: String

    func run() throws {
        try Workbench(Assignment(encoded: assignment)) { row in
            try StandardStream.writeToOutput(String(decoding: ResultLine.row(row).encoded(), as: UTF8.self))
        }.run()
    }
}

/// The process that the workload `crashreopen` kills.
struct CrashCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crash", abstract: "Fills a store and waits to be killed.", shouldDisplay: false)

    @Argument var assignment: String

    func run() throws { try CrashChild.fill(Assignment(encoded: assignment)) }
}
