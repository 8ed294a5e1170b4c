import ArgumentParser
import ShaleMaintenance

struct LoadCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Makes a new store from the output of \"dump\".",
        discussion: """
            EXAMPLES
              shale load NEWDIR store.ndjson
              zstd -dc store.ndjson.zst | shale load NEWDIR
              shale dump DIR | shale load NEWDIR --compression zstd:9

            NEWDIR must be absent or empty. It becomes a store only when the whole dump has
            been loaded. After a failure it is absent or empty as before.
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The dump; \"-\" is standard input.", completion: .file())
    var file = "-"

    @OptionGroup var writing: CompressionOption
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let input = try ByteStream(path: file)
        let place = NewDirectory(store.path)
        let progress = Progress("load", isQuiet: output.quiet)
        Interruption.catchIt()
        let entries: UInt64
        do {
            entries = try Maintenance.load(into: store.path, options: writing.engineOptions) {
                () throws(StorageError) in
                progress.update(MaintenanceProgress(bytes: input.readBytes, totalBytes: input.totalBytes ?? 0))
                try input.wait()
                return try input.piece()
            }
        } catch {
            progress.erase()
            try place.restore(after: error)
            // An error without a file concerns the dump.
            if error.code == .invalidArgument, error.file == nil { throw ToolFailure.badInput(error.message) }
            throw error
        }
        progress.erase()
        try LoadedReport(entries: entries, bytes: input.readBytes, seconds: progress.elapsed.seconds).show(output)
    }
}

struct LoadedReport: Report {
    static let command = "load"

    let entries: UInt64
    /// The size of the dump.
    let bytes: UInt64
    let seconds: Double

    func text() -> Shown {
        let time = Duration.seconds(seconds)
        return "\(Figures.count(entries, "entry", "entries")), \(Figures.bytes(bytes)), in \(Figures.duration(time)): "
            + "\(Figures.rate(entries, time)), \(Figures.byteRate(bytes, time))"
    }
}
