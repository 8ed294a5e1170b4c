#if SHALE_SCHEDULES
    import ShaleBase
    import ShaleEngine
    import ShaleMaintenance
    import ShalePlatform
    import ShaleSimulation

    /// The checks after a run. The scheduler itself notices deadlocks, runs without an end, and memory that is released
    /// while a reader uses it.
    extension ProgramRun {
        /// Returns what is wrong, nil if nothing is.
        func check() throws -> String? {
            files.removeFaultRules()
            if let finding = findings.first { return finding }
            for (call, path, isBackup) in copies {
                let place = isBackup ? try restored(path) : path
                calls[call].effect = .read(try contents(of: files, at: place).found)
            }
            guard HistoryCheck(calls).isExplained() else { return "no order of the calls explains what they returned" }
            if let problem = try checkCrash() { return problem }
            if let problem = checkObservations() { return problem }
            // A subscription keeps the engine's parts, and with them files of a `close` that failed.
            observations.removeAll()
            guard files.openHandles == 0 else { return "files are open: \(files.openHandlePaths)" }
            let final = try contents(of: files, at: "/store")
            let values = Program.values(final.found)
            guard HistoryCheck(calls, crash: (values, Int.max - 1)).isExplained() else {
                return "after closing the store holds \(values)"
            }
            // A store that was closed while a cursor was open has kept what the cursor could reach.
            if program.fault == .none, !program.has({ $0 == .close }), final.removed > 0 {
                return "\(final.removed) files are left that nothing refers to"
            }
            return nil
        }

        private func checkCrash() throws -> String? {
            guard let crash else { return nil }
            let values = Program.values(try contents(of: crash.disk, at: "/store").found)
            let check = HistoryCheck(
                calls, crash: (values, crash.moment), keepsWrites: crash.kind.keepsProcessWrites)
            guard !check.isExplained() else { return nil }
            return "after a crash (\(crash.kind.name)) at moment \(crash.moment) the store is no prefix: \(values)"
        }

        private func restored(_ path: String) throws(StorageError) -> String {
            let target = path + "-restored"
            _ = try Maintenance.restore(
                from: path, number: nil, into: target, options: BackupOptions(), fileSystem: files, progress: { _ in })
            return target
        }

        /// Opens the store and reads all keys. `removed`: files that the opening found to belong to nothing.
        ///
        /// Many schedules leave equal files. Those that a run has read before are not read again.
        private func contents(of files: SimulatedFileSystem, at path: String) throws -> StoredContents {
            guard program.fault == .none, let digest = files.digest(of: path) else { return try read(files, path) }
            let key = StoredContents.Key(
                digest: digest, wallMilliseconds: time.wallMilliseconds, nanoseconds: time.monotonicNanoseconds)
            if let known = StoredContents.known(key) { return known }
            let contents = try read(files, path)
            StoredContents.note(contents, key)
            return contents
        }

        private func read(_ files: SimulatedFileSystem, _ path: String) throws -> StoredContents {
            let engine = try ProgramRun.open(files, at: path, .inline, time, mode: .openExisting)
            var found: [Int: Int?] = Dictionary(uniqueKeysWithValues: (0..<Program.keyCount).map { ($0, nil) })
            do throws(StorageError) {
                for key in 0..<Program.keyCount {
                    found[key] = .some(number(try engine.value(forKey: [UInt8(key)], in: namespace)))
                }
            } catch {
                guard error.code == .namespaceDropped else { throw error }
                for key in 0..<Program.keyCount { found[key] = .some(Contents.dropped) }
            }
            let removed = engine.recovery.removedFiles
            try engine.close()
            return StoredContents(found: found, removed: removed)
        }

        private func checkObservations() -> String? {
            for observation in observations {
                observation.drain()
                let told = observation.told
                if observation.hasReversedGap { return "a gap is told that ends before it begins: \(told)" }
                if zip(told, told.dropFirst()).contains(where: { $0.upperBound >= $1.lowerBound }) {
                    return "changes and gaps are told out of order: \(told)"
                }
                for key in 0..<Program.keyCount {
                    let told = observation.count(of: key)
                    // The ring that changes pass is small here: those that a gap announces may be missing.
                    let least = observation.hasGap ? 0 : certainChanges(of: key, since: observation.since)
                    let most = calls.filter { $0.outcome != .failed && $0.ended > observation.asked }
                        .reduce(0) { $0 + $1.changeCount(of: key) }
                    guard least...max(least, most) ~= told else {
                        return "of \(least) to \(most) changes of key \(key) an observer was told \(told)"
                    }
                }
            }
            return nil
        }

        /// Changes of `key` by calls that began after `moment` and are done; with `before`, that were done before it.
        func certainChanges(of key: Int, since moment: Int, before: Int = .max) -> Int {
            calls.filter { $0.outcome == .done && $0.began > moment && $0.ended < before }
                .reduce(0) { $0 + $1.changeCount(of: key) }
        }
    }

    extension Program {
        fileprivate static func values(_ found: [Int: Int?]) -> [Int?] { (0..<keyCount).map { found[$0] ?? nil } }
    }
#endif
