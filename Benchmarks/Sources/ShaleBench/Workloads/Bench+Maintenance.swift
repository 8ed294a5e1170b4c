import ShaleEngine

/// deleterandom: every key once, in a random order. compact: the whole tree into its last level. purge: half of the
/// entries at once, until their space is back.
extension Bench {
    func deleteRandomly() throws {
        try requireEntries()
        let target = try store.target
        let before = target.engine.statistics
        let (threads, count) = (threads, store.contents.count)
        let order = Permutation(count: count, seed: settings.seed &+ 4)
        var rates = try measureWrites()
        var row = try measure("deleterandom", threads: threads, operations: count, on: target) { index, began in
            var key = KeyBuffer(byteCount: target.keyBytes)
            var recorder = LatencyRecorder(began: began)
            for position in Bench.share(index, of: threads, count) {
                key.set(order[position])
                try target.engine.delete(key.span, in: target.namespace, durability: .buffered)
                recorder.finish()
            }
            return recorder
        }
        try settle(&row, since: before)
        rates += try measureWrites()
        row.compare(with: Row.Roofline(name: "write(2) of a put", perSecond: rates.median))
        store.contents.count = 0
        try store.verify()
        try report.add(row)
    }

    func compact() throws {
        try requireEntries()
        try store.settle()
        let engine = try store.target.engine
        let before = engine.statistics
        let diskBefore = try store.diskBytes()
        var result: CompactionReport?
        var row = try measureStep("compact", operations: store.contents.count) { result = try engine.compact() }
        guard let result else { throw BenchError("no compaction took place") }
        try settle(&row, since: before)
        row.diskBytes = diskBefore
        let rate = Double(result.readBytes) / row.seconds / 1e6
        row.note =
            "\(Format.seconds(row.seconds)), \(Format.fixed(rate, 0)) MB/s of stored bytes read, "
            + "\(result.copiedBlocks) blocks copied, \(result.shadowedEntries) shadowed entries"
        try store.verify()
        try report.add(row)
    }

    /// Every second key is purgeable.
    func purge() throws {
        try store.reset()
        let target = try store.target
        let order = Permutation(count: entries, seed: settings.seed)
        var key = KeyBuffer(byteCount: target.keyBytes)
        for position in 0..<entries {
            let index = order[position]
            key.set(index)
            try target.engine.put(
                target.values.value(index, 0), forKey: key.span, in: target.namespace,
                PutOptions(isPurgeable: index & 1 == 1))
        }
        try store.settle()
        let before = target.engine.statistics
        let diskBefore = try store.diskBytes()
        var row = try measureStep("purge", operations: entries / 2) { try target.engine.purge([target.namespace]) }
        let purgeSeconds = row.seconds
        try settle(&row, since: before)
        row.diskBytes = diskBefore
        let rest = try target.count()
        guard rest == (entries + 1) / 2 else { throw BenchError.wrong("\(rest) entries after the purge of half") }
        row.note = "\(entries / 2) of \(entries) entries gone in \(Format.seconds(purgeSeconds))"
        try report.add(row)
        try store.reset()
    }
}

extension Target {
    /// Counted by a cursor.
    func count() throws -> Int {
        var cursor = try engine.cursor(in: namespace)
        var count = 0
        while try cursor.next() { count += 1 }
        return count
    }
}
