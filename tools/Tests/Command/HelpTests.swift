import ArgumentParser
import Testing

@testable import ShaleCommand

@Suite struct HelpTests {
    private static func all(below command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        command.configuration.subcommands.flatMap { [$0] + all(below: $0) }
    }

    @Test func helpBeginsWithExamplesAndNoLineOfItIsBrokenByATerminal() {
        let commands = Self.all(below: ShaleCommand.self)
        #expect(commands.count > 30)
        for command in [ShaleCommand.self] + commands {
            let lines = command.configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.first == "EXAMPLES", "\(command)")
            #expect(lines.count > 1 && lines[1].contains("shale "), "\(command)")
            for line in lines { #expect(line.count <= 80, "\(command): \(line)") }
        }
    }

    @Test func commandsStandInGroups() throws {
        let help = try Sandbox().shale("--help")
        #expect(help.status == 0)
        for group in ["ENTRIES", "INSPECTION", "MAINTENANCE", "COPIES"] {
            #expect(help.output.contains("\n\(group) SUBCOMMANDS:\n"))
        }
    }
}
