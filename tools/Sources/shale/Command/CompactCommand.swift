import ArgumentParser
import Foundation
import Shale
import ShaleEngine
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
            NEWDIR becomes a compact copy. If a process has the store open, that process
            is asked to do the work, with its own compression.
            """)

    @OptionGroup var store: StoreArgument

    @OptionGroup var place: OptionalNamespaceArguments

    @Option(help: "Only keys that start with this.")
    var prefix: String?

    @Option(help: "Only keys from this one on.")
    var from: String?

    @Option(help: "Only keys before this one.")
    var to: String?

    @OptionGroup var form: KeyFormOptions

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
        if place.namespace == nil, !ranges.isEmpty { throw ValidationError("a range of keys needs a namespace") }
        if prefix != nil, ranges.count > 1 { throw ValidationError("--prefix excludes --from and --to") }
        guard into != nil else { return }
        if place.namespace != nil || purge || dryRun || maxExtraDisk != nil {
            throw ValidationError(
                "--into copies the whole store: it excludes a namespace, --purge, --dry-run and --max-extra-disk"
            )
        }
    }

    private var options: Engine.Options {
        var options = Engine.Options()
        if let compression { options.lastCompression = compression.value }
        // One thread waits for the disk while the others compute.
        options.manualCompactionThreads = min(64, ProcessInfo.processInfo.activeProcessorCount + 1)
        return options
    }

    var manner: ManualCompactionOptions {
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
        let engine: Engine
        do throws(StorageError) {
            engine = try Engine.open(at: store.path, options: options)
        } catch {
            guard error.code == .locked, !dryRun else { throw error }
            return try requestCompaction(error).show(output)
        }
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

    func scope(_ engine: Engine) throws -> CompactionScope {
        guard let path = try place.path() else { return .all }
        let keys = try KeyArgument.range(prefix: prefix, from: from, to: to, form.form)
        return .keys(keys, in: try identifier(path, engine))
    }

    private func identifier(_ path: NamespacePath, _ engine: Engine) throws -> NamespaceID {
        guard let found = engine.namespace(named: path.catalogueName) else {
            throw ToolFailure.notFound("there is no namespace \(path.text)")
        }
        return found.id
    }

    /// Returns the namespaces that users see, or only the named one.
    func purged(_ engine: Engine) throws -> [NamespaceID] {
        if let path = try place.path() { return [try identifier(path, engine)] }
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

struct CompactReport: Report {
    static let command = "compact"

    let readBytes: UInt64
    let writtenBytes: UInt64
    let returnedBytes: Int64
    let shadowedEntries: UInt64
    let erasedEntries: UInt64
    let removedTombstones: UInt64
    let copiedBlocks: UInt64
    let skippedBlocks: UInt64
    let storedBytesBefore: UInt64
    let storedBytesAfter: UInt64
    let seconds: Double

    init(_ done: CompactionReport, storedBytesBefore: UInt64, storedBytesAfter: UInt64, seconds: Double) {
        readBytes = done.readBytes
        writtenBytes = done.writtenBytes
        returnedBytes = done.returnedBytes
        shadowedEntries = done.shadowedEntries
        erasedEntries = done.erasedEntries
        removedTombstones = done.removedTombstones
        copiedBlocks = done.copiedBlocks
        skippedBlocks = done.skippedBlocks
        self.storedBytesBefore = storedBytesBefore
        self.storedBytesAfter = storedBytesAfter
        self.seconds = seconds
    }

    func text() -> Shown {
        """
        \(Figures.bytes(storedBytesBefore)) of segments became \(Figures.bytes(storedBytesAfter)) in \
        \(Figures.duration(.seconds(seconds))): \(Figures.bytes(readBytes)) read, \
        \(Figures.bytes(writtenBytes)) written, \(Figures.bytes(returnedBytes)) returned
        \(Figures.count(shadowedEntries, "hidden version")), \
        \(Figures.count(erasedEntries, "erased entry", "erased entries")) and \
        \(Figures.count(removedTombstones, "tombstone")) removed; \(Figures.count(copiedBlocks, "block")) copied \
        unchanged
        """
    }
}

/// The estimated effect of a compaction.
struct EstimateReport: Report {
    static let command = "compact"

    let segments: Int
    let readBytes: UInt64
    let writtenBytes: UInt64
    let freedBytes: UInt64
    let extraBytes: UInt64
    let isDryRun = true

    init(_ estimate: CompactionEstimate) {
        segments = estimate.segments
        readBytes = estimate.readBytes
        writtenBytes = estimate.writtenBytes
        freedBytes = estimate.freedBytes
        extraBytes = estimate.extraBytes
    }

    func text() -> Shown {
        """
        would read \(Figures.bytes(readBytes)) in \(Figures.count(segments, "segment")) and write at most \
        \(Figures.bytes(writtenBytes)), with \(Figures.bytes(extraBytes)) of additional space meanwhile
        purged, truncated, dropped or expired: \(Figures.bytes(freedBytes)); \
        entries hidden by newer versions add to that
        """
    }
}
