import ShaleBase
import ShaleEngine

extension Model {
    func anyVersion() -> ModelOracle.Version {
        var version = ModelOracle.Version(sequence: 0, value: pool.extent(random))
        let kind = random.below(20)
        version.isPurgeable = kind < 5
        if kind >= 4, kind < 8 {
            // Mostly soon, sometimes at once, sometimes long after the run.
            let delay = random.below(8) == 0 ? 1_000_000_000 : random.below(3000)
            version.expiry = oracle.milliseconds + Int64(delay)
        }
        return version
    }

    func putOptions(_ version: ModelOracle.Version) -> PutOptions {
        PutOptions(isPurgeable: version.isPurgeable, expiresAtMilliseconds: version.expiry)
    }

    var anyDurability: Durability? { random.below(8) == 0 ? .synced : nil }

    func put() throws {
        let slot = try anySlot()
        try put(slot, anyRank, anyVersion())
    }

    func put(_ slot: Int, _ rank: Int, _ version: ModelOracle.Version) throws {
        let key = universe.keys[rank]
        let bytes = pool.bytes
        let durability = anyDurability
        try unsafe engine.put(
            bytes.span.bytes.extracting(version.extent.range), forKey: key.span.bytes, in: id(slot),
            options: putOptions(version),
            durability: durability)
        oracle.write(slot, rank, version, oldest: oldestNeeded)
        wrote(durability)
    }

    func delete() throws {
        let slot = try anySlot()
        try delete(slot, anyRank)
    }

    func delete(_ slot: Int, _ rank: Int) throws {
        let key = universe.keys[rank]
        let durability = anyDurability
        try unsafe engine.delete(key.span.bytes, in: id(slot), durability: durability)
        oracle.write(slot, rank, ModelOracle.Version(sequence: 0), oldest: oldestNeeded)
        wrote(durability)
    }

    /// Writes many adjacent keys at once, so that the tree gets levels and blocks that don't overlap.
    func load() throws {
        let slot = try anySlot()
        var rank = random.below(universe.count)
        let end = min(universe.count, rank + random.below(1000))
        let kind = random.below(3)
        let bytes = pool.bytes
        while rank < end {
            var batch = WriteBatch()
            let first = rank
            var versions: [ModelOracle.Version] = []
            while rank < end, batch.count < 50 {
                var version = ModelOracle.Version(sequence: 0, value: pool.extent(random))
                // Whole blocks that can be purged, or that expire together.
                version.isPurgeable = kind == 1
                if kind == 2 { version.expiry = oracle.milliseconds + 2000 }
                let key = universe.keys[rank]
                try unsafe batch.put(
                    bytes.span.bytes.extracting(version.extent.range), forKey: key.span.bytes, in: id(slot),
                    options: putOptions(version))
                versions.append(version)
                rank += 1
            }
            try engine.write(batch)
            let oldest = oldestNeeded
            for (i, version) in versions.enumerated() { oracle.write(slot, first + i, version, oldest: oldest) }
            wrote(nil)
        }
    }

    /// Writes a batch of up to a dozen mutations in any namespaces; a key may occur twice.
    func batch() throws {
        var batch = WriteBatch()
        let bytes = pool.bytes
        var written: [(Int, Int, ModelOracle.Version)] = []
        for _ in 0..<random.below(12) {
            let slot = try anySlot()
            let rank = anyRank
            let key = universe.keys[rank]
            if random.below(4) == 0 {
                try unsafe batch.delete(key.span.bytes, in: id(slot))
                written.append((slot, rank, ModelOracle.Version(sequence: 0)))
            } else {
                let version = anyVersion()
                try unsafe batch.put(
                    bytes.span.bytes.extracting(version.extent.range), forKey: key.span.bytes, in: id(slot),
                    options: putOptions(version))
                written.append((slot, rank, version))
            }
        }
        let durability = written.isEmpty ? nil : anyDurability
        try engine.write(batch, durability: durability)
        let oldest = oldestNeeded
        for (slot, rank, version) in written { oracle.write(slot, rank, version, oldest: oldest) }
        wrote(durability)
    }
}
