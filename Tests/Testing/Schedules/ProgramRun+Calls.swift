#if SHALE_SCHEDULES
    import ShaleBase
    import ShaleEngine
    import ShaleMaintenance
    import ShalePlatform
    import ShaleSimulation

    extension ProgramRun {
        func perform(_ action: Action, _ client: Client, _ engine: Engine) {
            let call = begin(action, thread: client.thread)
            let began = scheduler?.nanoseconds ?? 0
            // Without threads of its own the engine flushes on the thread that asks, and on one at a time.
            let isAlone = !program.hasBackground && action.mayFlush
            flushes.begin(action, thread: scheduler?.runningThread.number ?? 0)
            if isAlone { flushing.lock() }
            defer { if isAlone { flushing.unlock() } }
            do throws(StorageError) {
                try perform(action, call, client, engine)
                end(call, .done)
            } catch {
                end(call, outcome(of: error, action))
            }
            flushes.end(thread: scheduler?.runningThread.number ?? 0)
            let waited = (scheduler?.nanoseconds ?? 0) - began
            if isTimeMeaningful, !action.takesTime, waited > ProgramRun.patience {
                findings.append("\(action) waited for \(waited / 1_000_000) ms: nobody woke it")
            }
        }

        /// True if the clock moves only when no thread can run, and no failure makes the engine wait.
        private var isTimeMeaningful: Bool { program.fault == .none && program.earlyTimeouts == 0 }

        /// Called before each call of the file system.
        func checkFlushes(_ scheduler: ThreadScheduler, _ kind: OperationKind, _ path: String) {
            guard program.fault == .none, scheduler.runningThread.name == "shale-flush" else { return }
            if kind == .write, path.contains("MANIFEST-") { flushes.endMemtable() }
            if kind == .create, path.contains("segments/"), flushes.outlasts(scheduler.waitsForCondition) {
                findings.append("a flush waits for a memtable that was filled after the flush began to wait")
            }
        }

        /// True if the timer makes durable what was written before it: also when flushes fail for want of space.
        private var isTimerAtWork: Bool {
            (program.fault == .none || program.fault == .create) && program.earlyTimeouts == 0
                && program.hasBackground && !program.has { $0 == .close }
        }

        private func begin(_ name: String, _ effect: Call.Effect, thread: Int, isBarrier: Bool) -> Int {
            clock += 1
            calls.append(Call(thread: thread, name: name, effect: effect, began: clock, isBarrier: isBarrier))
            return calls.count - 1
        }

        private func end(_ call: Int, _ outcome: Call.Outcome) {
            clock += 1
            calls[call].outcome = outcome
            calls[call].ended = clock
            reachReturn()
        }

        /// Returns the outcome that an error stands for. An error outside the contract becomes a finding.
        private func outcome(of error: StorageError, _ action: Action) -> Call.Outcome {
            let hasFault = program.fault != .none
            switch error.code {
            case .closed where program.has({ $0 == .close }): return .failed
            case .conflict:
                if case .copy = action { return .failed }
            case .namespaceDropped where program.has({ $0 == .drop }): return .failed
            case .cancelled where action == .compact || action == .reclaim: return .failed
            case .indeterminate where hasFault: return .unknown
            case .poisoned where hasFault: return .failed
            case .noSpace where hasFault: return .failed
            case .ioFailure where hasFault: return .failed
            // A removal that the system refuses: `close` and `collect` report it, and without threads of its own the
            // engine removes files on any calling thread.
            case .locked where program.fault == .remove: return .failed
            default: break
            }
            findings.append("\(action) threw \(error)")
            return .unknown
        }

        private func begin(_ action: Action, thread: Int) -> Int {
            nextValue += 1
            let value = nextValue
            var effect = Call.Effect.none
            var isBarrier = false
            switch action {
            case .put(let key, let isSynced, let isPurgeable, _):
                effect = .set([key: Held(value: value, isPurgeable: isPurgeable)])
                isBarrier = isSynced
            case .delete(let key, let isSynced):
                effect = .set([key: Held?.none])
                isBarrier = isSynced
            case .putAll(let isSynced):
                let held = Held?.some(Held(value: value, isPurgeable: false))
                effect = .set(Dictionary(uniqueKeysWithValues: (0..<Program.keyCount).map { ($0, held) }))
                isBarrier = isSynced
            case .copy(let from, let to): effect = .copy(from: from, found: nil, to: to, value: value)
            case .truncate: (effect, isBarrier) = (.truncate, true)
            case .purge: (effect, isBarrier) = (.purge, true)
            case .drop: (effect, isBarrier) = (.drop, true)
            case .sync, .flush, .checkpoint, .backUp, .close: isBarrier = true
            case .sleep(let milliseconds):
                // Three intervals of the timer: one may have just begun, and one may meet a running sync (D-5).
                isBarrier = milliseconds >= 360 && isTimerAtWork
            case .hold, .open: effect = .read([:])
            case .get, .scan, .readHeld, .letGo, .step, .seek, .endCursor, .observe, .awaitChange, .compact, .reclaim,
                .collect:
                break
            }
            return begin("\(action)", effect, thread: thread, isBarrier: isBarrier)
        }

        private func perform(
            _ action: Action, _ call: Int, _ client: Client, _ engine: Engine
        ) throws(StorageError) {
            switch action {
            case .put, .delete, .putAll, .copy: try write(action, call, engine)
            case .get, .scan, .hold, .readHeld, .letGo: try read(action, call, client, engine)
            case .open, .step, .seek, .endCursor: try walk(action, call, client, engine)
            case .observe, .awaitChange: try observe(action, call, client, engine)
            case .sync: try engine.sync()
            case .flush: try engine.flush()
            case .truncate: try engine.truncate([namespace])
            case .purge: try engine.purge([namespace])
            case .drop: try engine.drop([namespace])
            case .compact: try engine.compact()
            case .reclaim: try engine.reclaim()
            case .checkpoint:
                let path = newCopy()
                try engine.checkpoint(at: path)
                copies.append((call, path, false))
            case .backUp:
                let path = newCopy()
                _ = try Maintenance.backUp(
                    engine, to: path, options: BackupOptions(), fileSystem: files, progress: { _ in })
                copies.append((call, path, true))
            case .close:
                try engine.close()
                // Also for a call that another thread's call was ahead of.
                if program.fault == .none, files.openHandlePaths.contains(where: { $0.hasPrefix("/store/LOCK") }) {
                    findings.append("the store is still locked after closing")
                }
            case .collect: try engine.deleteReplacedFiles()
            case .sleep(let milliseconds): sleepNanoseconds(UInt64(milliseconds) * 1_000_000)
            }
        }

        private func newCopy() -> String {
            copyCount += 1
            return "/copy\(copyCount)"
        }

        // MARK: Writing

        private func write(_ action: Action, _ call: Int, _ engine: Engine) throws(StorageError) {
            func durability(_ isSynced: Bool) -> Durability { isSynced ? .synced : .buffered }
            switch (action, calls[call].effect) {
            case (.put(let key, let isSynced, let isPurgeable, let isLarge), .set(let changes)):
                guard let held = changes[key] ?? nil else { return }
                try engine.put(
                    bytes(held.value, isLarge), forKey: [UInt8(key)], in: namespace,
                    options: PutOptions(isPurgeable: isPurgeable), durability: durability(isSynced))
            case (.delete(let key, let isSynced), _):
                try engine.delete([UInt8(key)], in: namespace, durability: durability(isSynced))
            case (.putAll(let isSynced), .set(let changes)):
                var batch = WriteBatch()
                for key in 0..<Program.keyCount {
                    guard let held = changes[key] ?? nil else { continue }
                    try batch.put(bytes(held.value, false), forKey: [UInt8(key)], in: namespace)
                }
                try engine.write(batch, durability: durability(isSynced))
            case (.copy(let from, let to), .copy(_, _, _, let value)):
                var found: Int?
                defer { calls[call].effect = .copy(from: from, found: found, to: to, value: value) }
                try engine.transaction { (transaction) throws(StorageError) in
                    found = number(try transaction.value(forKey: [UInt8(from)], in: namespace))
                    try transaction.put(bytes(value, false), forKey: [UInt8(to)], in: namespace)
                }
            default: break
            }
        }

        /// A value: its number, and behind that, if it is large, what fills a third of a memtable.
        private func bytes(_ value: Int, _ isLarge: Bool) -> [UInt8] {
            var bytes = Array("\(value)".utf8)
            if isLarge {
                bytes.append(UInt8(ascii: "."))
                bytes += repeatElement(UInt8(truncatingIfNeeded: value), count: ProgramRun.largeBytes)
            }
            return bytes
        }

        /// The number of a value; -1 for bytes that nobody wrote.
        func number(_ bytes: [UInt8]?) -> Int? {
            guard let bytes else { return nil }
            let digits = bytes.prefix { $0 != UInt8(ascii: ".") }
            guard digits.count <= 9, let value = Int(String(decoding: digits, as: UTF8.self)) else { return -1 }
            let rest = bytes.dropFirst(digits.count + 1)
            return rest.allSatisfy { $0 == UInt8(truncatingIfNeeded: value) } ? value : -1
        }

        // MARK: Reading

        private func read(
            _ action: Action, _ call: Int, _ client: Client, _ engine: Engine
        ) throws(StorageError) {
            switch action {
            case .get(let key):
                calls[call].effect = .read([key: number(try lent(key, engine, nil))])
            case .scan:
                var found = absent
                for entry in try engine.entries(over: .all, in: namespace) {
                    found[Int(entry.key[0])] = .some(number(entry.value))
                }
                calls[call].effect = .read(found)
            case .hold: client.snapshot = (call, engine.snapshot())
            case .readHeld(let key):
                guard let (taken, snapshot) = client.snapshot else { return }
                note(number(try lent(key, engine, snapshot)), under: key, of: taken)
            case .letGo: client.snapshot = nil
            default: break
            }
        }

        /// Reads a value where it lies. Other threads may go on before it is copied.
        private func lent(_ key: Int, _ engine: Engine, _ snapshot: Engine.Snapshot?) throws(StorageError) -> [UInt8]? {
            let key = [UInt8(key)]
            return try unsafe engine.withValue(forKey: key.span.bytes, in: namespace, at: snapshot) {
                (value: RawSpan) -> [UInt8] in
                SchedulePoint.reach(.pin)
                return unsafe value.withUnsafeBytes { unsafe [UInt8]($0) }
            }
        }

        private var absent: [Int: Int?] {
            Dictionary(uniqueKeysWithValues: (0..<Program.keyCount).map { ($0, Int?.none) })
        }

        /// Adds what was read to the moment that an earlier call has begun: all that is read at it has to agree.
        private func note(_ value: Int?, under key: Int, of call: Int) {
            guard case .read(var found) = calls[call].effect else { return }
            if let known = found[key], known != value {
                findings.append("\(calls[call].name) saw \(known ?? -1) and then \(value ?? -1) under key \(key)")
            }
            found[key] = .some(value)
            calls[call].effect = .read(found)
        }

        // MARK: Cursors

        private func walk(
            _ action: Action, _ call: Int, _ client: Client, _ engine: Engine
        ) throws(StorageError) {
            switch action {
            case .open: client.cursor = Client.OpenCursor(try engine.cursor(over: .all, in: namespace), call: call)
            case .step:
                guard let open = client.cursor else { return }
                guard try open.cursor.next() else {
                    for key in open.position..<Program.keyCount { note(nil, under: key, of: open.call) }
                    open.position = Program.keyCount
                    return
                }
                let key = Int(unsafe open.cursor.key.withUnsafeBytes { unsafe $0[0] })
                SchedulePoint.reach(.pin)
                let value = unsafe open.cursor.value.withUnsafeBytes { unsafe [UInt8]($0) }
                guard key >= open.position, key < Program.keyCount else {
                    findings.append("a cursor behind \(open.position) stands on \(key)")
                    return
                }
                for passed in open.position..<key { note(nil, under: passed, of: open.call) }
                note(number(value), under: key, of: open.call)
                open.position = key + 1
            case .seek(let key):
                guard let open = client.cursor else { return }
                open.position = key
                try open.cursor.seek(to: [UInt8(key)])
            case .endCursor: client.cursor = nil
            default: break
            }
        }

        // MARK: Observing

        private func observe(
            _ action: Action, _ call: Int, _ client: Client, _ engine: Engine
        ) throws(StorageError) {
            if action == .observe {
                if let earlier = client.observation { observations.append(earlier) }
                let subscription = try engine.subscribe(to: ChangeFilter(.named(Array("n".utf8))), capacity: 1000)
                clock += 1
                client.observation = Observation(subscription, asked: calls[call].began, since: clock)
                return
            }
            guard let observation = client.observation else { return }
            if let event = observation.subscription.next(nanoseconds: 1_000_000_000) {
                return observation.note(event)
            }
            guard isTimeMeaningful, !observation.hasGap, !program.has({ $0 == .close }) else { return }
            for key in 0..<Program.keyCount
            where observation.count(of: key)
                < certainChanges(of: key, since: observation.since, before: calls[call].began)
            {
                findings.append("an observer waited for 1 s and was not told of a change of key \(key)")
            }
        }
    }
#endif
