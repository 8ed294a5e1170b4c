import ArgumentParser
import Shale

struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Demonstrates the store on this machine's package lists.",
        discussion: """
            EXAMPLES
              shale demo
              shale demo --dir /tmp/shale-demo --keep

            Imports apt's package lists in a child process and kills that process half
            way. Then reopens the store, compares it with the source, resumes the import,
            imports the ISO code tables, reads 100 000 random keys, purges, compacts,
            verifies and prints the figures. Ends with code 1 if anything differs from the
            source.
            """)

    @Option(
        help: "The directory to use, which must be absent or empty; default: a temporary one.", completion: .directory)
    var dir: String?

    @Flag(help: "Keep the store afterwards.")
    var keep = false

    @Option(help: "The seed of the random reads. It is printed, so that a run can be repeated.")
    var seed: UInt64?

    func run() throws {
        let directory = try dir.map(Self.prepare) ?? makeTemporaryDirectory(prefix: "shale-demo")
        let demo = DemoRun(directory: directory, seed: seed ?? UInt64.random(in: 1...UInt64.max))
        do {
            try demo.run()
        } catch {
            Terminal.note("shale: the store was kept in \(demo.storePath)")
            throw error
        }
        if keep {
            try Terminal.print("\nThe store is in \(demo.storePath). To inspect it:")
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
