import Shale
import ShaleBase
import ShaleCollections
import ShaleSimulation

/// Everything that changes a collection other than by its writers, and restarts.
extension CollectionModel {
    // MARK: Erasures

    func erase() throws {
        switch random.below(12) {
        case 0:
            try namespace.truncate()
            oracle.entries = [:]
        case 1:
            try namespace.truncateSubtree()
            try startAgain()
        case 2:
            try namespace.dropSubtree()
            try startAgain()
        case 3:
            // The options go with the namespace, and so does what its keys encrypt.
            guard !encrypts, !isScoped else { break }
            try namespace.drop()
            oracle.entries = [:]
        case 4: try purge { () throws(StorageError) in try store.purgeNow(.namespace(namespace)) }
        case 5: try purge { () throws(StorageError) in try store.purgeNow(.subtree(namespace)) }
        case 6: try purge { () throws(StorageError) in try store.purge() }
        case 7: try applyPolicy()
        case 8: _ = try collection.removeStaleEntries()
        case 9: try rebuild()
        case 10:
            guard let userID else { break }
            try store.removeUser(userID)
            try startAgain()
        default: if options.encryption != nil { try store.changeDataKeys() }
        }
        try madeDurable()
    }

    private func purge(_ body: () throws(StorageError) -> PurgeReport) throws {
        _ = try body()
        oracle.entries = oracle.entries.filter { !$0.value.isPurgeable }
    }

    /// Opens a collection that was removed with its schema.
    private func startAgain() throws {
        oracle.entries = [:]
        isUnfinished = false
        try configure()
    }

    /// Sets a policy, applies it, and removes it. The policy selects records; the rest of the model follows.
    private func applyPolicy() throws {
        var options = try namespace.options
        let old = options
        options.purgePolicy =
            random.below(2) == 0 ? .age(.milliseconds(100)) : .capacity(Int64(random.below(4000)), trimTo: 0.3)
        try namespace.setOptions(options)
        time.advance(milliseconds: UInt64(random.below(300)))
        oracle.expire(at: time.wallMilliseconds)
        try store.purge(by: .policies)
        try namespace.setOptions(old)
        let left = Set(try namespace.keys.array().map(\.bytes))
        for (key, entry) in oracle.entries where !left.contains(key.bytes) {
            try require(entry.isPurgeable, "a policy removed a record that is not purgeable")
            oracle.entries[key] = nil
        }
        try require(left.count == oracle.entries.count, "a policy left \(left.count) of \(oracle.entries.count)")
    }

    // MARK: Restarts

    func restart() throws {
        if random.below(2) == 0 { return try losePower() }
        try store.close()
        if random.below(3) == 0 {
            options.appVersion = "\((options.appVersion.flatMap { Int($0) } ?? 0) + 1)"
            if isScoped { oracle.entries = [:] }
        }
        store = try CollectionModel.open(files, options)
        try reopenCollection()
        try madeDurable()
    }

    /// Kills the process, or loses power: the store shows a state that one of the last steps left.
    private func losePower() throws {
        let kind = CrashKind.all[random.below(CrashKind.all.count)]
        let left = kind.crash(files, seed: random.next())
        try store.close()
        files = left
        store = try CollectionModel.open(files, options)
        let sequence = store.recovery.lastSequence
        // A step may begin with edits of the catalogue, such as a new namespace, which have sequences of their own.
        guard let position = states.lastIndex(where: { $0.sequence <= sequence }) else {
            throw failure("\(kind.name) left the sequence \(sequence), which is before \(states.map(\.sequence))")
        }
        let lost = states.count - 1 - position
        try require(lost == 0 || !kind.keepsProcessWrites, "a kill lost \(lost) steps")
        oracle = states[position].oracle
        oracle.expire(at: time.wallMilliseconds)
        lostPower(lost)
        try reopenCollection()
        try compareAll()
        try madeDurable()
    }

    private func reopenCollection() throws {
        try configure()
        isUnfinished = try collection.needsMigration
    }

    // MARK: Schemas

    /// Adopts other indexes, or the next version.
    func changeSchema() throws {
        let old = schema.version
        if random.below(3) == 0, old < 7 {
            schema.nextVersion(random)
        } else {
            schema.changeIndexes(random)
        }
        oracle.migrate(from: old, to: schema.version)
        try configure(adopting: true)
        isUnfinished = try collection.needsMigration
        if random.below(4) > 0 { try finishMigration() }
        try madeDurable()
    }

    func migrate() throws {
        try finishMigration()
        try madeDurable()
    }

    /// Migrates, with interruptions. Removes records that agree in a unique index until it succeeds.
    private func finishMigration() throws {
        while isUnfinished {
            let twins = oracle.twins(schema)
            let stopsAfter = random.below(4) == 0 ? 1 : Int.max
            var steps = 0
            do throws(StorageError) {
                try collection.migrate { (_) throws(StorageError) in
                    steps += 1
                    if steps >= stopsAfter { throw StorageError(.cancelled, "stopped by the model") }
                }
            } catch {
                if error.code == .cancelled { return isUnfinished = try collection.needsMigration }
                guard let name = error.constraintViolation?.field else { throw error }
                try require(twins.contains { $0.name == name }, "no records agree in \(name)")
                for twin in twins {
                    try collection.delete(twin.key)
                    oracle.entries[twin.key] = nil
                }
                continue
            }
            try require(twins.isEmpty, "built a unique index over \(twins.count) records that agree")
            isUnfinished = try collection.needsMigration
            try require(!isUnfinished, "a migration has not finished")
            migrated()
        }
    }

    private func rebuild() throws {
        try finishMigration()
        guard !isUnfinished else { return }
        try collection.rebuildIndexes()
        let report = try collection.verify()
        try require(report.staleEntries == 0, "a rebuilt index has \(report.staleEntries) stale entries")
        // A collection that was dropped has no schema until its first write.
        try require(try !collection.needsMigration, "a rebuilt index is not ready")
    }
}
