import ArgumentParser
import ShaleMaintenance

struct DumpCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Writes the whole store as lines of JSON.",
        discussion: """
            EXAMPLES
              shale dump DIR > store.ndjson
              shale dump DIR | zstd > store.ndjson.zst
              shale dump DIR | shale load NEWDIR

            A store made from the dump by "load" is equal: keys, values, types,
            purgeability, expiry, namespaces and their options, users. Encrypted values
            stay encrypted, and are readable in the loaded store with the same master key.
            Works on a store that is in use, and dumps its state at one moment.
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        if output.format != .human { throw ValidationError("dump always writes NDJSON and takes no --format") }
    }

    func run() throws {
        let progress = Progress("dump", isQuiet: output.quiet)
        do {
            let entries = try Maintenance.dump(storeAt: store.path, progress: { step in progress.update(step) }) {
                (text) throws(StorageError) in try StandardOutput.write(json: text)
            }
            progress.erase()
            if !output.quiet {
                Terminal.note(
                    "\(Figures.count(entries, "entry", "entries")) in \(Figures.duration(progress.elapsed)): "
                        + Figures.rate(entries, progress.elapsed))
            }
        } catch {
            progress.erase()
            throw error
        }
    }
}

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
