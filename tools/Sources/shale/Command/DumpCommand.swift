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
