import ArgumentParser
import Shale

struct CompactCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Rewrites the store as small as it gets.",
        discussion: """
            EXAMPLES
              shale compact DIR
              shale compact DIR --json

            No answer of the store changes. Interrupting it at any point loses nothing.
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let engine = try StoreAccess.openEngine(store.path, .openExisting)
        let report = try Self.compact(engine, isQuiet: output.quiet)
        try engine.close()
        try report.show(output)
    }

    static func compact(_ engine: Engine, isQuiet: Bool) throws -> CompactReport {
        let progress = Progress("compact", isQuiet: isQuiet)
        let before = engine.statistics.storedBytes
        let done: CompactionReport
        do {
            done = try engine.compact { step in
                progress.update(
                    fraction: step.fraction,
                    "\(Figures.bytes(step.readBytes)), \(Figures.byteRate(step.readBytes, progress.elapsed))")
            }
        } catch {
            progress.erase()
            throw error
        }
        progress.erase()
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

    func text() -> String {
        """
        \(Figures.bytes(storedBytesBefore)) of segments became \(Figures.bytes(storedBytesAfter)) in \
        \(Figures.duration(.seconds(seconds))): \(Figures.bytes(readBytes)) read, \(Figures.bytes(writtenBytes)) written, \
        \(Figures.bytes(returnedBytes)) returned
        \(Figures.count(shadowedEntries)) hidden versions, \(Figures.count(erasedEntries)) erased entries and \
        \(Figures.count(removedTombstones)) tombstones removed; \(Figures.count(copiedBlocks)) blocks copied as they were
        """
    }
}
