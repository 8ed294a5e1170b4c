import Shale
import ShaleBase
import ShalePlatform

/// Cycles: all that is pending is sent, and all that is new is received.
extension SyncClient {
    /// Runs a cycle: pulls to the end, pushes all that is pending, and merges conflicts until there is none.
    ///
    /// Cycles don't overlap: a call during a cycle waits for its end, and then runs one, which other waiting calls
    /// share. If any of the waiting tasks is cancelled, the cycle is.
    ///
    /// - Throws: The reason for which the cycle ended early. What was exchanged before stays.
    public func synchronise() async throws(SyncError) {
        try await cycle.run { await self.runCycle() }.get()
    }

    /// Runs cycles until the task is cancelled or ``stop()`` is called: at once, after local changes, and after
    /// ``SyncOptions/pullIntervalMilliseconds``. After a failure it waits longer each time, for a random part of a
    /// limit that doubles.
    ///
    /// Only one task should run it. ``synchronise()`` may be called beside it, for example when the network returns.
    public func run() async {
        var failures = 0
        while !Task.isCancelled, !engine.hasEnded {
            do throws(SyncError) {
                try await synchronise()
                failures = 0
                await waitForChange()
            } catch {
                guard error.code != .signedOut, error.code != .cancelled else { return }
                failures += 1
                let fraction = Double(environment.random.next() >> 11) * 0x1p-53
                let wait = options.backOff(after: failures, requested: error.retryAfterSeconds, fraction: fraction)
                await pause(wait)
            }
        }
    }

    /// Ends the synchronisation, for a sign-out. Returns once nothing of it runs any more: then nothing is written to
    /// the space by it, whatever replies still come. Pending changes stay in the store.
    ///
    /// To remove the user's data, call `Store.removeUser(_:)` afterwards. Writes through the collections still become
    /// pending, and a new client for the space continues.
    public func stop() async {
        engine.end()
        await cycle.end()
    }

    // MARK: Parts

    private func runCycle() async -> Result<Void, SyncError> {
        change { $0.isSynchronising = true }
        do throws(SyncError) {
            try await exchangeAll()
            let pending = try await blocking { (engine) throws(StorageError) in
                try engine.trimKept(to: self.options.keptVersions)
                return try engine.pendingCount()
            }
            let now = environment.time.wallMilliseconds
            change { status in
                status = SyncStatus()
                status.pending = pending
                status.lastSuccessMilliseconds = now
            }
            return .success(())
        } catch {
            let now = environment.time.wallMilliseconds
            change { status in
                status.isSynchronising = false
                // A cancellation is no failure.
                guard error.code != .cancelled else { return }
                status.failingSinceMilliseconds = status.failingSinceMilliseconds ?? now
                status.failures += 1
                status.lastError = error
            }
            return .failure(error)
        }
    }

    private func exchangeAll() async throws(SyncError) {
        engine.beginCycle()
        let pending = try await blocking { (engine) throws(StorageError) in try engine.pendingCount() }
        change { $0.pending = pending }
        while let exchange = try await next() {
            let reply = try await send(exchange)
            let confirmed = try await blocking(reply) { (engine) throws(StorageError) in
                try engine.accept(exchange, reply)
                return exchange.call == .push ? try engine.pendingCount(atMost: 2 * SyncLimits.changes) : nil
            }
            guard let confirmed else { continue }
            // Counting a long backlog after each batch would take longer than sending it.
            let isCounted = confirmed < 2 * SyncLimits.changes
            change { $0.pending = isCounted ? confirmed : max(confirmed, $0.pending - SyncLimits.changes) }
        }
    }

    private func next() async throws(SyncError) -> SyncEngine.Exchange? {
        try await blocking { (engine) throws(StorageError) in try engine.prepare() }
    }

    private func send(_ exchange: SyncEngine.Exchange) async throws(SyncError) -> SyncReply {
        guard !Task.isCancelled else { throw SyncError(.cancelled, "the task was cancelled") }
        do {
            return try await transport.send(exchange.call, body: exchange.body)
        } catch {
            if Task.isCancelled { throw SyncError(.cancelled, "the task was cancelled") }
            throw SyncError(.offline, "\(error)")
        }
    }

    /// Runs work on the store on a thread of its own.
    private func blocking<R: Sendable>(
        _ reply: SyncReply? = nil, _ work: @escaping @Sendable (SyncEngine) throws(StorageError) -> R
    ) async throws(SyncError) -> R {
        let engine = engine
        do throws(StorageError) {
            return try await BlockingWork.run { (_) throws(StorageError) in try work(engine) }
        } catch {
            throw SyncError(error, reply: reply)
        }
    }

    /// Waits until something is pending and has been for ``SyncOptions/gatherMilliseconds``, or until the next pull is
    /// due.
    private func waitForChange() async {
        let changes: Store.Changes
        do throws(StorageError) {
            changes = try engine.names.journal.changes(capacity: 1)
            // Changes from before the subscription.
            if try engine.hasChanges() { return await pause(options.gatherMilliseconds) }
        } catch {
            // The next cycle meets the error and reports it.
            return await pause(options.pullIntervalMilliseconds)
        }
        let interval = options.pullIntervalMilliseconds
        let isChanged = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await change in changes {
                    switch change {
                    case .removed: continue
                    default: return true
                    }
                }
                return true
            }
            group.addTask {
                await self.pause(interval)
                return false
            }
            let first = await group.next() ?? false
            changes.cancel()
            group.cancelAll()
            return first
        }
        if isChanged { await pause(options.gatherMilliseconds) }
    }

    /// Waits, or returns at once if the task is cancelled.
    private func pause(_ milliseconds: Int64) async {
        do {
            try await environment.pacing.wait(milliseconds: milliseconds)
        } catch {
            // Only a cancelled task is not waited for, and every loop asks for that.
            return
        }
    }
}
