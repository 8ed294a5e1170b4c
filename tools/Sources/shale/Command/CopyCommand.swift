import ArgumentParser
import ShaleMaintenance

struct CopyCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Makes a compact copy of a store.",
        discussion: """
            EXAMPLES
              shale copy DIR --into NEWDIR
              shale copy DIR --into NEWDIR --compression zstd:9

            The copy holds the live entries only, compacted. Works on a store that is in
            use, and copies its state at one moment. NEWDIR becomes a store only when the
            copy is complete. Encrypted values are copied as they are.
            """)

    @OptionGroup var store: StoreArgument

    @Option(
        help: ArgumentHelp("The new store's directory, which must be absent or empty.", valueName: "dir"),
        completion: .directory)
    var into: String

    @OptionGroup var writing: CompressionOption
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        try Self.copy(store.path, into: into, writing.engineOptions, isQuiet: output.quiet).show(output)
    }

    static func copy(
        _ path: String, into target: String, _ options: EngineOptions, isQuiet: Bool
    ) throws -> CopiedReport {
        let progress = Progress("copy", isQuiet: isQuiet)
        defer { progress.erase() }
        Interruption.catchIt()
        let done = try Maintenance.copy(
            storeAt: path, into: target, options: options, progress: progress.updateMaking)
        return CopiedReport(
            entries: done.entries, storedBytes: done.storedBytes, seconds: progress.elapsed.seconds)
    }
}

struct CopiedReport: Report {
    static let command = "copy"

    let entries: UInt64
    let storedBytes: UInt64
    let seconds: Double

    func text() -> Shown {
        let time = Duration.seconds(seconds)
        return "\(Figures.count(entries, "entry", "entries")), \(Figures.bytes(storedBytes)), in "
            + "\(Figures.duration(time)): \(Figures.rate(entries, time))"
    }
}
