import ShaleEngine

/// What a tree's shape says about the work that it makes. Calculated from metadata alone.
struct Amplification: Encodable {
    /// Sorted runs that a read without filters would look into: segments of L0 and filled levels below.
    let readRuns: Int
    /// Raw bytes of all levels for each of the lowest one, which holds one version of a key: 1 when nothing is there twice.
    /// `nil` when there is no level below L0, whose segments may overlap.
    let space: Double?
    /// Bytes written for each byte that is there, at the least: once to the log, once by the flush, once for each level down to
    /// where it is. What was rewritten where it already was, and what has been deleted since, no file remembers.
    let writeAtLeast: Double
    /// Raw bytes for each stored one.
    let compression: Double

    init(_ levels: [LevelStatistics]) {
        let filled = levels.filter { $0.segments > 0 }
        let raw = filled.reduce(0) { $0 + Double($1.rawBytes) }
        let stored = filled.reduce(0) { $0 + Double($1.storedBytes) }
        readRuns = filled.reduce(0) { $0 + ($1.level == 0 ? $1.segments : 1) }
        space = filled.last.flatMap { $0.level > 0 ? Self.ratio(raw, Double($0.rawBytes)) : nil }
        compression = Self.ratio(raw, stored)
        var written = 0.0
        var below = 0.0
        for level in filled {
            if level.level > 0 { below += 1 }
            written += Double(level.rawBytes) + Double(level.storedBytes) * (1 + below)
        }
        writeAtLeast = Self.ratio(written, raw)
    }

    /// To three digits; 0 without anything to divide by.
    private static func ratio(_ part: Double, _ whole: Double) -> Double {
        whole > 0 ? (part / whole * 1000).rounded() / 1000 : 0
    }

    var text: Shown {
        "reads look into \(Figures.count(readRuns, "run")); "
            + (space.map { "\(Figures.decimal($0, 2)) × the space of one version; " } ?? "")
            + "written at least \(Figures.decimal(writeAtLeast, 2)) ×; compressed \(Figures.decimal(compression, 2)) ×"
    }
}
