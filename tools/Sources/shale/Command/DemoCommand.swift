import ArgumentParser
import Shale

struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Shows the main job on this machine's own data.",
        discussion: """
            EXAMPLES
              shale demo
              shale demo --dir /tmp/shale-demo --keep

            Imports apt's package lists in a process that it kills half way, reopens and
            compares with the source, resumes, imports the ISO code tables, reads 100 000
            random keys, purges, compacts, verifies and prints the figures. Ends with code
            1 if anything differs from the source.
            """)

    @Option(help: "Where to work; must not exist or be empty. Default: a temporary directory.", completion: .directory)
    var dir: String?

    @Flag(help: "Leave the store there afterwards.")
    var keep = false

    @Option(help: "Where the random reads start; printed, so that a run can be repeated.")
    var seed: UInt64?

    func run() throws {
        let directory = try dir.map(Self.prepare) ?? makeTemporaryDirectory(prefix: "shale-demo")
        let demo = DemoRun(directory: directory, seed: seed ?? UInt64.random(in: 1...UInt64.max))
        do {
            try demo.run()
        } catch {
            Terminal.note("shale: the store is left in \(demo.storePath)")
            throw error
        }
        if keep {
            try Terminal.print("\nThe store is in \(demo.storePath). Look into it:")
            try Terminal.print("  \(try executablePath()) stats \(demo.storePath)")
        } else {
            try removeTree(directory)
        }
    }

    private static func prepare(_ path: String) throws -> String {
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw ToolFailure.system("mkdir", path) }
        guard try directoryEntries(of: path).isEmpty else { throw ToolFailure.usage("\(path) is not empty") }
        return path
    }
}
