import ArgumentParser
import ShaleEngine

/// The workloads, by db_bench's names and with their meaning.
enum Workload: String, CaseIterable, ExpressibleByArgument, Sendable {
    case fillseq, fillrandom, overwrite, fillbatch, fillsync
    case readrandom, readmissing, readhot, seekrandom, readseq, readreverse, readwhilewriting
    case deleterandom, compact, reopen, crashreopen, purge

    /// The default run: reads meet the tree as random writes left it, and again after a compaction.
    static let standard: [Workload] = [
        .fillseq, .fillbatch, .fillsync, .fillrandom, .readrandom, .readmissing, .readhot, .seekrandom, .readseq,
        .readreverse, .readwhilewriting, .overwrite, .reopen, .compact, .readrandom, .readmissing, .readseq,
        .deleterandom, .crashreopen, .purge,
    ]

    func run(in bench: Bench) throws {
        switch self {
        case .fillseq: try bench.fillSequentially()
        case .fillrandom: try bench.fillRandomly()
        case .overwrite: try bench.overwrite()
        case .fillbatch: try bench.fillInBatches()
        case .fillsync: try bench.fillSynced()
        case .readrandom: try bench.readRandomly(.all)
        case .readmissing: try bench.readRandomly(.missing)
        case .readhot: try bench.readRandomly(.hot)
        case .seekrandom: try bench.seekRandomly()
        case .readseq: try bench.scan(.forward)
        case .readreverse: try bench.scan(.reversed)
        case .readwhilewriting: try bench.readWhileWriting()
        case .deleterandom: try bench.deleteRandomly()
        case .compact: try bench.compact()
        case .reopen: try bench.reopen()
        case .crashreopen: try bench.reopenAfterCrash()
        case .purge: try bench.purge()
        }
    }
}
