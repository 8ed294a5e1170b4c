import ArgumentParser
import Foundation
import Shale
import ShaleMaintenance

struct CompactCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Rewrites the store to take as little space as possible.",
        discussion: """
            EXAMPLES
              shale compact DIR
              shale compact DIR --dry-run
              shale compact DIR packages --prefix lib --purge
              shale compact DIR --compression zstd:9
              shale compact DIR --max-extra-disk 200M
              shale compact DIR --into NEWDIR

            The contents of the store don't change, except for entries that --purge
            removes. Interrupting the command loses nothing: finished work stays, and the
            next run continues with the rest, also with --compression. With
            --max-extra-disk the work is done in small steps, which take longer, and is
            refused if it can't keep the limit. With --into the store is not changed, and
            NEWDIR becomes a compact copy.
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "Only this namespace; \"/\" separates levels.")
    var namespace: String?

    @Option(help: "The user whose space the namespace is in; default: the common space.")
    var user: String?

    @Option(help: "Only keys that start with this.")
    var prefix: String?

    @Option(help: "Only keys from this one on.")
    var from: String?

    @Option(help: "Only keys before this one.")
    var to: String?

    @Flag(help: "The keys in these options are given as hexadecimal digits.")
    var hex = false

    @Flag(help: "Remove purgeable entries first.")
    var purge = false

    @Flag(help: "Report what would be read, written and freed, and change nothing.")
    var dryRun = false

    @Option(
        help: ArgumentHelp("Make a compact copy in this directory, which must be absent or empty.", valueName: "dir"),
        completion: .directory)
    var into: String?

    @Option(
        help: """
            Recompress blocks that are compressed differently: none, lz4, zstd, or with a level from -5 to 19: zstd:9.
            """)
    var compression: CompressionArgument?

    @Option(
        help: ArgumentHelp(
            "The additional disk space that may be used, in bytes or as in 500M, 2G.", valueName: "bytes"))
    var maxExtraDisk: ByteCountArgument?

    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        let ranges = [prefix, from, to].compactMap { $0 }
        if namespace == nil, !ranges.isEmpty { throw ValidationError("a range of keys needs a namespace") }
        if prefix != nil, ranges.count > 1 { throw ValidationError("--prefix excludes --from and --to") }
        if namespace == nil, user != nil { throw ValidationError("--user needs a namespace") }
        guard into != nil else { return }
        if namespace != nil || purge || dryRun || maxExtraDisk != nil {
            throw ValidationError(
                "--into copies the whole store: it excludes a namespace, --purge, --dry-run and --max-extra-disk"
            )
        }
    }

    private var options: EngineOptions {
        var options = EngineOptions()
        if let compression { options.lastCompression = compression.value }
        // One thread waits for the disk while the others compute.
        options.manualCompactionThreads = min(64, ProcessInfo.processInfo.activeProcessorCount + 1)
        return options
    }

    private var manner: ManualCompactionOptions {
        var manner = ManualCompactionOptions()
        manner.recompresses = compression != nil
        manner.extraDiskBytesMax = maxExtraDisk?.bytes
        return manner
    }

    func run() throws {
        if let into {
            return try CopyCommand.copy(store.path, into: into, options, isQuiet: output.quiet).show(output)
        }
        var options = options
        options.mode = dryRun ? .readOnly : .openExisting
        let engine = try Engine.open(at: store.path, options: options)
        let scope = try scope(engine)
        if dryRun {
            try EstimateReport(try engine.compactionEstimate(scope, options: manner)).show(output)
            return try engine.close()
        }
        if purge { try engine.purge(try purged(engine)) }
        Interruption.catchIt()
        do {
            let report = try Self.compact(engine, scope, manner, isQuiet: output.quiet)
            try engine.close()
            try report.show(output)
        } catch let failure as StorageError where failure.code == .cancelled {
            try engine.close()
            throw failure
        }
    }

    private func scope(_ engine: Engine) throws -> CompactionScope {
        guard namespace != nil else { return .all }
        let keys = try KeyArgument.range(prefix: prefix, from: from, to: to, isHex: hex)
        return .keys(keys, in: try identifier(engine))
    }

    private func identifier(_ engine: Engine) throws -> NamespaceID {
        let path = try NamespacePath(namespace ?? "", user: user)
        guard let found = engine.namespace(named: path.catalogueName) else {
            throw ToolFailure.notFound("there is no namespace \(path.text)")
        }
        return found.id
    }

    /// Returns the namespaces that users see, or only the named one.
    private func purged(_ engine: Engine) throws -> [NamespaceID] {
        guard namespace == nil else { return [try identifier(engine)] }
        return engine.namespaces.filter { NamespacePath(catalogueName: $0.name) != nil }.map(\.id)
    }

    static func compact(
        _ engine: Engine, _ scope: CompactionScope = .all,
        _ manner: ManualCompactionOptions = ManualCompactionOptions(), isQuiet: Bool
    ) throws -> CompactReport {
        let progress = Progress("compact", isQuiet: isQuiet)
        defer { progress.erase() }
        let before = engine.statistics.storedBytes
        let done = try engine.compact(scope, options: manner) { (step) throws(StorageError) in
            try Interruption.check("interrupted: nothing is lost, and finished work stays")
            progress.update(
                fraction: step.fraction,
                "\(Figures.bytes(step.readBytes)), \(Figures.byteRate(step.readBytes, progress.elapsed))")
        }
        return CompactReport(
            done, storedBytesBefore: before, storedBytesAfter: engine.statistics.storedBytes,
            seconds: progress.elapsed.seconds)
    }
}
