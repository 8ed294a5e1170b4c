import ArgumentParser
import ShaleMaintenance

struct RepairCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Makes a new store of what is left of a damaged one.",
        discussion: """
            EXAMPLES
              shale repair DIR --into NEWDIR
              shale repair DIR --into NEWDIR --format json | jq .losses

            DIR is only read. Nothing in NEWDIR is anything but what DIR held last: what a
            lost part may have deleted or overwritten since is left out and counted,
            unless --keep-uncertain asks for it. Names file, offset and keys of every
            loss, and ends with code 2 if there is one. Of a sound store NEWDIR is a copy.
            """)

    @OptionGroup var store: StoreArgument

    @Option(help: ArgumentHelp("The new store's directory, absent or empty.", valueName: "dir"), completion: .directory)
    var into: String

    @Flag(help: "Also take over what a lost part may have deleted or overwritten.")
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
