import ShaleEngine

extension Model {
    /// A reader of the store as in another process: its newest state, and a follower of the changes.
    struct Reader {
        var engine: Engine
        let changes: Engine.ChangeLog
        /// The last sequence that the follower has delivered.
        var last: UInt64
    }

    /// Refreshes the reader, or opens one. It must show the present, and its follower every change up to it.
    func compareReader() throws {
        coverage.refreshes += 1
        var current = try reader ?? openReader()
        let before = current.engine.statistics.lastSequence
        current.engine = try current.engine.refreshed()
        guard current.engine.statistics.lastSequence == oracle.sequence, before <= oracle.sequence else {
            throw failure("a reader shows \(current.engine.statistics.lastSequence), not \(oracle.sequence)")
        }
        try compareAll(of: current.engine, oracle.now, nil)
        while let batch = try current.changes.nextAvailable() {
            // An operation that only a manifest between two others had is a gap.
            let mayMiss = reopenings > 1
            guard !batch.isGap || mayMiss, batch.sequences.lowerBound == current.last + 1 else {
                throw failure("the change log has \(batch.sequences) after \(current.last), gap=\(batch.isGap)")
            }
            current.last = batch.sequences.upperBound
        }
        guard current.last == oracle.sequence else {
            throw failure("the change log ends at \(current.last), not \(oracle.sequence)")
        }
        reader = current
        reopenings = 0
    }

    private func openReader() throws -> Reader {
        var readOnly = options
        readOnly.mode = .readOnly
        let engine = try TestStore.open(files, readOnly, profile.scheduling)
        return Reader(engine: engine, changes: try engine.changeLog(), last: engine.statistics.lastSequence)
    }

    /// Ends the reader, whose disk is gone.
    func endReader() {
        reader?.changes.cancel()
        reader = nil
    }
}
