#if SHALE_SCHEDULES
    import ShaleBase
    import ShaleEngine
    import ShalePlatform

    extension ProgramRun {
        private func begin(_ name: String, _ effect: Call.Effect, thread: Int, isBarrier: Bool) -> Int {
            clock += 1
            calls.append(Call(thread: thread, name: name, effect: effect, began: clock, isBarrier: isBarrier))
            return calls.count - 1
        }

        private func end(_ call: Int, _ outcome: Call.Outcome) {
            clock += 1
            calls[call].outcome = outcome
            calls[call].ended = clock
        }

        func perform(_ action: Action, thread: Int, _ engine: Engine) {
            let call = begin(action, thread: thread)
            // Without threads of its own the engine flushes on the thread that asks, and on one at a time.
            let isAlone = !program.hasBackground && action.mayFlush
            if isAlone { flushing.lock() }
            defer { if isAlone { flushing.unlock() } }
            do throws(StorageError) {
                try perform(action, call, engine)
                end(call, .done)
            } catch {
                end(call, outcome(of: error, action))
            }
        }

        /// Errors that the contract has; others are findings.
        private func outcome(of error: StorageError, _ action: Action) -> Call.Outcome {
            switch error.code {
            case .indeterminate: return .unknown
            case .closed, .conflict: return .failed
            case .poisoned where program.fault != .none: return .failed
            case .noSpace where program.fault != .none: return .failed
            default:
                findings.append("\(action) threw \(error)")
                return .unknown
            }
        }

        private func begin(_ action: Action, thread: Int) -> Int {
            let name = "\(action)"
            nextValue += 1
            let value = nextValue
            switch action {
            case .put(let key, let isSynced, let isPurgeable):
                return begin(
                    name, .set([key: Held(value: value, isPurgeable: isPurgeable)]), thread: thread, isBarrier: isSynced
                )
            case .delete(let key, let isSynced):
                return begin(name, .set([key: Held?.none]), thread: thread, isBarrier: isSynced)
            case .putAll(let isSynced):
                let changes = Dictionary(
                    uniqueKeysWithValues: (0..<Program.keyCount).map {
                        ($0, Held?.some(Held(value: value, isPurgeable: false)))
                    })
                return begin(name, .set(changes), thread: thread, isBarrier: isSynced)
            case .copy(let from, let to):
                return begin(
                    name, .copy(from: from, found: nil, to: to, value: value), thread: thread, isBarrier: false)
            case .truncate: return begin(name, .truncate, thread: thread, isBarrier: true)
            case .purge: return begin(name, .purge, thread: thread, isBarrier: true)
            case .sync, .flush, .checkpoint, .compact, .close:
                return begin(name, .none, thread: thread, isBarrier: action != .compact)
            case .get, .scan, .readSnapshot, .reclaim: return begin(name, .none, thread: thread, isBarrier: false)
            }
        }

        private func perform(_ action: Action, _ call: Int, _ engine: Engine) throws(StorageError) {
            func durability(_ isSynced: Bool) -> Durability { isSynced ? .synced : .buffered }
            switch action {
            case .put(let key, let isSynced, let isPurgeable):
                guard case .set(let changes) = calls[call].effect, let held = changes[key] ?? nil else { return }
                try engine.put(
                    bytes(held.value), forKey: [UInt8(key)], in: namespace, PutOptions(isPurgeable: isPurgeable),
                    durability: durability(isSynced))
            case .delete(let key, let isSynced):
                try engine.delete([UInt8(key)], in: namespace, durability: durability(isSynced))
            case .putAll(let isSynced):
                guard case .set(let changes) = calls[call].effect else { return }
                var batch = WriteBatch()
                for key in 0..<Program.keyCount {
                    guard let held = changes[key] ?? nil else { continue }
                    try batch.put(bytes(held.value), forKey: [UInt8(key)], in: namespace)
                }
                try engine.write(batch, durability: durability(isSynced))
            case .get(let key):
                let found = try engine.value(forKey: [UInt8(key)], in: namespace)
                calls[call].effect = .read([key: try number(found)])
            case .scan:
                var found: [Int: Int?] = Dictionary(uniqueKeysWithValues: (0..<Program.keyCount).map { ($0, nil) })
                for entry in try engine.entries(over: .all, in: namespace) {
                    found[Int(entry.key[0])] = try number(entry.value)
                }
                calls[call].effect = .read(found)
            case .readSnapshot:
                let snapshot = engine.snapshot()
                var found: [Int: Int?] = [:]
                for key in 0..<Program.keyCount {
                    found[key] = .some(try number(try engine.value(forKey: [UInt8(key)], in: namespace, at: snapshot)))
                }
                calls[call].effect = .read(found)
            case .copy(let from, let to):
                guard case .copy(_, _, _, let value) = calls[call].effect else { return }
                var found: Int?
                do throws(StorageError) {
                    try engine.transaction { (transaction) throws(StorageError) in
                        found = try number(try transaction.value(forKey: [UInt8(from)], in: namespace))
                        try transaction.put(bytes(value), forKey: [UInt8(to)], in: namespace)
                    }
                } catch {
                    calls[call].effect = .copy(from: from, found: found, to: to, value: value)
                    throw error
                }
                calls[call].effect = .copy(from: from, found: found, to: to, value: value)
            case .sync: try engine.sync()
            case .flush: try engine.flush()
            case .truncate: try engine.truncate([namespace])
            case .purge: try engine.purge([namespace])
            case .compact: try engine.compact()
            case .reclaim: try engine.reclaim()
            case .checkpoint:
                copies += 1
                let path = "/copy\(copies)"
                try engine.checkpoint(at: path)
                copied.append((call, path))
            case .close: try engine.close()
            }
        }

        private func bytes(_ value: Int) -> [UInt8] { Array("\(value)".utf8) }

        func number(_ bytes: [UInt8]?) throws(StorageError) -> Int? {
            guard let bytes else { return nil }
            return Int(String(decoding: bytes, as: UTF8.self)) ?? -1
        }
    }
#endif
