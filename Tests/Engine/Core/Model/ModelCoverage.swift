import ShaleEngine

/// The counts of what a run has exercised, so that a profile that misses its purpose is noticed.
struct ModelCoverage: CustomStringConvertible {
    var powerLosses = 0
    var lostSequences = 0
    var fullComparisons = 0
    var commits = 0
    var conflicts = 0
    var heldCursors = 0
    var heldSteps = 0
    var seeks = 0
    var flushes: UInt64 = 0
    var compactions: UInt64 = 0
    var moves: UInt64 = 0
    var drops: UInt64 = 0
    var copiedBlocks: UInt64 = 0
    var skippedBlocks: UInt64 = 0
    var shadowed: UInt64 = 0
    var erased: UInt64 = 0
    var tombstones: UInt64 = 0
    var levelsUsed: Set<Int> = []

    mutating func add(_ statistics: EngineStatistics) {
        flushes += statistics.flushes
        compactions += statistics.compactions
        moves += statistics.moves
        drops += statistics.drops
        for level in statistics.levels where level.segments > 0 { levelsUsed.insert(level.level) }
    }

    /// Adds the report of a manual compaction: automatic ones don't report these counts.
    mutating func add(_ report: CompactionReport) {
        copiedBlocks += report.copiedBlocks
        skippedBlocks += report.skippedBlocks
        shadowed += report.shadowedEntries
        erased += report.erasedEntries
        tombstones += report.removedTombstones
    }

    var description: String {
        "losses=\(powerLosses)/\(lostSequences) compared=\(fullComparisons) commits=\(commits) conflicts=\(conflicts) "
            + "held=\(heldCursors)/\(heldSteps)/\(seeks) flushes=\(flushes) compactions=\(compactions) moves=\(moves) "
            + "drops=\(drops) copied=\(copiedBlocks) skipped=\(skippedBlocks) shadowed=\(shadowed) erased=\(erased) "
            + "tombstones=\(tombstones) levels=\(levelsUsed.sorted())"
    }
}
