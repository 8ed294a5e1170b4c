extension Workbench {
    func run(_ step: Assignment.Step) throws {
        switch step.workload {
        case .fillseq: try fill(step, .ascending)
        case .fillrandom: try fill(step, .shuffled(Permutation(count: entries, seed: seed)))
        case .fillpaced: try fillPaced(step)
        case .fillbatch: try fillInBatches(step)
        case .fillsync: try fillSynced(step)
        case .overwrite: try overwrite(step)
        case .readrandom, .readmissing, .readhot: try readRandomly(step)
        case .multireadrandom: try readInGroups(step)
        case .seekrandom: try seekRandomly(step)
        case .readseq: try scan(step, .forward)
        case .readreverse: try scan(step, .reversed)
        case .readwhilewriting: try readWhileWriting(step)
        case .ycsba, .ycsbb, .ycsbc, .ycsbd, .ycsbe, .ycsbf: try runYCSB(step)
        case .deleterandom: try deleteRandomly(step)
        case .compact: try compact(step)
        case .reopen: try reopen(step)
        case .crashreopen: try reopenAfterCrash(step)
        case .purge: try purge(step)
        case .drop: try drop(step)
        case .verify: try verifyOffline(step)
        case .dump: try dumpOffline(step)
        case .load: try loadOffline(step)
        case .typedset, .typedupdate, .typedget, .typedopen, .namespaces, .typedcalls, .jsoncalls, .observers,
            .dictionaries:
            throw BenchError("\(step.workload) has a store of its own")
        }
    }
}
