import ShaleEngine

extension Model {
    /// Performs one random operation. Frequencies are per 2000.
    func step() throws {
        switch random.below(2000) {
        case 0..<640: try put()
        case 640..<800: try delete()
        case 800..<920: try batch()
        case 920..<1300: try get()
        case 1300..<1340: try count()
        case 1340..<1380: try getSeveral()
        case 1380..<1420: try getInfo()
        case 1420..<1600: try scan()
        case 1600..<1610: try holdCursor()
        case 1610..<1700: try stepCursors()
        case 1700..<1710: dropCursor()
        case 1710..<1740: try takeSnapshot()
        case 1740..<1768: releaseSnapshot()
        case 1768..<1820: advanceTime()
        case 1820..<1890: try transaction()
        case 1890..<1900: try erase(.purge)
        case 1900..<1904: try erase(.truncate)
        case 1904..<1906: try erase(.drop)
        case 1906..<1909: try load()
        case 1909..<1925: try sync { try engine.sync() }
        default: try rareStep()
        }
    }

    private func rareStep() throws {
        switch random.below(400) {
        case 0..<30: try sync { try engine.flush() }
        case 30..<33: coverage.add(try engine.compact())
        case 33..<46: coverage.add(try engine.reclaim())
        case 46..<50: try reopen()
        case 50..<53: try kill()
        case 53..<56: try losePower()
        case 56..<59: try compareReadOnly()
        case 59..<61: try compareCheckpoint()
        case 61..<65: try verify()
        case 65..<68: try compareAll()
        case 68..<78: try readDropped()
        case 78..<88: try compareReader()
        default: try get()
        }
    }

    /// Runs `body`, after which everything is durable.
    private func sync(_ body: () throws -> Void) throws {
        try body()
        madeDurable()
    }

    func takeSnapshot() throws {
        if snapshots.count >= profile.liveSnapshots { releaseSnapshot() }
        let snapshot = engine.snapshot()
        guard snapshot.sequence == oracle.sequence else {
            throw failure("a snapshot has sequence \(snapshot.sequence), not \(oracle.sequence)")
        }
        snapshots.append(HeldSnapshot(snapshot: snapshot, moment: oracle.now))
    }

    func releaseSnapshot() {
        guard !snapshots.isEmpty else { return }
        snapshots.remove(at: random.below(snapshots.count))
    }

    /// Advances the clock, sometimes across many expiries.
    func advanceTime() {
        let milliseconds = random.below(4) == 0 ? random.below(20_000) : random.below(200)
        time.manual.advance(milliseconds: UInt64(milliseconds))
        oracle.milliseconds += Int64(milliseconds)
    }

    enum Erasure { case purge, truncate, drop }

    /// Erases one namespace or several, in one step.
    func erase(_ erasure: Erasure) throws {
        var slots = oracle.namespaces.indices.filter { oracle.namespaces[$0] != nil }
        while slots.count > 1, random.below(4) != 0 { slots.remove(at: random.below(slots.count)) }
        guard !slots.isEmpty else { return }
        let ids = try slots.map { try id($0) }
        switch erasure {
        case .purge:
            try engine.purge(ids)
            oracle.purge(slots)
        case .truncate:
            try engine.truncate(ids)
            oracle.truncate(slots)
        case .drop:
            try engine.drop(ids)
            oracle.drop(slots)
            cursors.removeAll { slots.contains($0.slot) }
        }
        madeDurable()
    }

    /// Checks that ids of dropped or never created namespaces are refused.
    func readDropped() throws {
        let live = Set(oracle.namespaces.compactMap { $0?.id })
        let newest = engine.namespaces.last?.id.rawValue ?? 0
        guard engine.namespaces.map(\.id) == live.sorted() else { throw failure("other namespaces are live") }
        let id = NamespaceID(rawValue: UInt32(random.below(Int(newest) + 3)))
        guard !live.contains(id) else { return }
        do {
            let key = universe.keys[anyRank]
            _ = try unsafe engine.value(forKey: key.span.bytes, in: id, at: anyMoment().1)
        } catch {
            guard error.code == .namespaceDropped else { throw error }
            return
        }
        throw failure("\(id) could be read")
    }
}
