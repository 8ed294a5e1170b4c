import ArgumentParser
import ShaleMaintenance

struct RepairCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Makes a new store from what is left of a damaged one.",
        discussion: """
            EXAMPLES
              shale repair DIR --into NEWDIR
              shale repair DIR --into NEWDIR --format json | jq .losses

            DIR is only read. NEWDIR holds only entries that were current in DIR. Entries
            that a lost part may have deleted or overwritten are left out and counted,
            unless --keep-uncertain is given. The command names file, offset and keys of
            every loss, and ends with code 2 if there is one. If DIR is sound, NEWDIR is a
            copy of it.
            """)

    @OptionGroup var store: StoreArgument

    @Option(
        help: ArgumentHelp("The new store's directory, which must be absent or empty.", valueName: "dir"),
        completion: .directory)
    var into: String

    @Flag(help: "Also keep entries that a lost part may have deleted or overwritten.")
    var keepUncertain = false

    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let progress = Progress("repair", isQuiet: output.quiet)
        var options = RepairOptions()
        options.keepsUncertain = keepUncertain
        let done: RepairReport
        do {
            Interruption.catchIt()
            done = try Maintenance.repair(
                storeAt: store.path, into: into, options: options, progress: progress.updateMaking)
        } catch {
            progress.erase()
            throw error
        }
        progress.erase()
        let report = RepairedReport(done, seconds: progress.elapsed.seconds)
        try report.show(output)
        if !done.isWhole { throw ExitCode(ExitStatus.corruption.rawValue) }
    }
}
