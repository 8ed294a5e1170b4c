import ShaleEngine
import ShalePlatform
import ShaleSimulation

extension Model {
    private func forgetReaders() {
        snapshots.removeAll()
        cursors.removeAll()
    }

    func reopen() throws {
        forgetReaders()
        coverage.add(engine.statistics)
        try engine.close()
        try open(files)
        reopenings += 1
        madeDurable()
        guard engine.recovery.replayedBatches == 0 else { throw failure("a closed store had batches to replay") }
    }

    /// Kills the process: everything that it wrote is kept.
    func kill() throws {
        forgetReaders()
        endReader()
        coverage.add(engine.statistics)
        let left = files.crashClone(.processKill, seed: random.next())
        left.recordsOperations = false
        let old = files
        try open(left)
        madeDurable()
        try checkHandles(of: old)
    }

    /// Loses power in any way: the store must show a prefix with everything durable (contract D-2, D-3, A-1).
    func losePower() throws {
        guard profile.losesPower else { return try kill() }
        forgetReaders()
        endReader()
        coverage.add(engine.statistics)
        coverage.powerLosses += 1
        let kind = CrashKind.all[random.below(CrashKind.all.count)]
        let left = kind.crash(files, seed: random.next())
        let old = files
        engine = try TestStore.open(left, options, profile.scheduling)
        files = left
        let sequence = engine.recovery.lastSequence
        guard prefixes.contains(sequence), !kind.keepsProcessWrites || sequence == oracle.sequence else {
            throw failure("\(kind.name) left sequence \(sequence), not one of \(prefixes)")
        }
        coverage.lostSequences += Int(oracle.sequence - sequence)
        oracle.rollBack(to: sequence)
        madeDurable()
        try compareAll()
        try checkHandles(of: old)
    }

    /// Checks that closed engines hold nothing open.
    private func checkHandles(of files: SimulatedFileSystem) throws {
        EpochDomainPool.shared.quiesceIdle()
        guard files.openHandles == 0 else { throw failure("handles are left open: \(files.openHandlePaths)") }
    }

    private func open(_ left: SimulatedFileSystem) throws {
        engine = try TestStore.open(left, options, profile.scheduling)
        files = left
        guard engine.recovery.lastSequence == oracle.sequence else {
            throw failure("opened at sequence \(engine.recovery.lastSequence), not \(oracle.sequence)")
        }
    }

    func verify() throws {
        let report = try engine.verify()
        guard report.problems.isEmpty else { throw failure("verification: \(report.problems)") }
    }

    // MARK: Comparing everything

    /// Compares every namespace, now and at each snapshot, in both directions.
    func compareAll() throws {
        coverage.fullComparisons += 1
        try compareAll(of: engine, oracle.now, nil)
        for held in snapshots { try compareAll(of: engine, held.moment, held.snapshot) }
    }

    func compareAll(of engine: Engine, _ moment: ModelOracle.Moment, _ snapshot: Engine.Snapshot?) throws {
        for (slot, namespace) in oracle.namespaces.enumerated() {
            guard let namespace else { continue }
            for order in [ScanOrder.forward, .reversed] {
                var cursor = try engine.cursor(in: namespace.id, order: order, at: snapshot)
                for (rank, version) in expectation(slot, .all, order, moment) {
                    guard try cursor.next() else { throw failure("a scan of everything ends before \(name(rank))") }
                    try check(cursor, rank, version, { "everything at \(moment)" })
                }
                if try cursor.next() { throw failure("a scan of everything does not end") }
            }
        }
    }

    /// Opens the disk of a killed process for reading. The content must be the same, and no byte may be written.
    func compareReadOnly() throws {
        let left = files.crashClone(.processKill, seed: random.next())
        left.recordsOperations = false
        let changes: OperationSet = [
            .create, .rename, .link, .remove, .syncDirectory, .lock, .write, .preallocate, .truncate, .sync,
        ]
        left.inject(FaultRule(on: changes, when: .always, repeatsForever: true, .error(30)))
        var readOnly = options
        readOnly.mode = .readOnly
        try compareAndClose(try TestStore.open(left, readOnly, profile.scheduling))
        try checkHandles(of: left)
    }

    private func compareAndClose(_ other: consuming Engine) throws {
        try compareAll(of: other, oracle.now, nil)
        try other.close()
    }

    /// Makes a checkpoint and compares it as an independent store.
    func compareCheckpoint() throws {
        guard checkpoints < 20 else { return }
        checkpoints += 1
        let path = "/checkpoint \(checkpoints)"
        try engine.checkpoint(at: path)
        madeDurable()
        try compareAndClose(
            try Engine.open(
                at: path, options: options,
                environment: EngineEnvironment(
                    fileSystem: files, random: SeededRandom(seed: 7), scheduling: profile.scheduling)))
    }
}
