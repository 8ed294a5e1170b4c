import ShaleEngine

/// The amplification that a tree's shape implies, calculated from metadata alone.
struct Amplification: Encodable {
    /// The number of sorted runs that a read without filters would examine: segments of L0 and filled levels below.
    let readRuns: Int
    /// The ratio of the raw bytes of all levels to those of the lowest one, which holds one version of each key. 1 if
    /// nothing is stored twice. `nil` if there is no level below L0, because segments of L0 may overlap.
    let space: Double?
    /// The minimum number of bytes written for each stored byte: once to the log, once by the flush, once for each
    /// level down to its own. Files don't show bytes that were rewritten within a level or deleted since.
    let writeAtLeast: Double
    /// The ratio of raw to stored bytes.
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

    /// Returns a ratio rounded to three decimals; 0 if the divisor is 0.
    private static func ratio(_ part: Double, _ whole: Double) -> Double {
        whole > 0 ? (part / whole * 1000).rounded() / 1000 : 0
    }

    var text: Shown {
        "reads look into \(Figures.count(readRuns, "run")); "
            + (space.map { "\(Figures.decimal($0, 2)) × the space of one version; " } ?? "")
            + "written at least \(Figures.decimal(writeAtLeast, 2)) ×; compressed \(Figures.decimal(compression, 2)) ×"
    }
}
