import ShaleBase
import ShaleEngine
import ShalePlatform

/// The loops of the threads, which run until the time is over.
extension StressStore {
    func write(_ writer: Int, _ durability: Durability) throws {
        let random = SeededRandom(seed: UInt64(writer))
        var number = 0
        while !isOver {
            number += 1
            let pair = random.below(StressStore.pairs)
            let value = StressStore.value(number)
            var batch = WriteBatch()
            try batch.put(value, forKey: StressStore.key("a", writer, pair), in: pairs)
            // Between the two in key order, and in the batch.
            try batch.put(
                value, forKey: StressStore.key("l", writer, pair), in: litter, options: PutOptions(isPurgeable: true))
            try batch.put(value, forKey: StressStore.key("b", writer, pair), in: pairs)
            try engine.write(batch, durability: durability)
            let last = number
            written.withLock { $0[writer][pair] = last }
            try check(StressStore.number(engine.value(forKey: StressStore.key("b", writer, pair), in: pairs)) == number)
            {
                "writer \(writer) does not see its own write"
            }
            if random.below(20) == 0 { try engine.delete(StressStore.key("l", writer, pair), in: litter) }
        }
    }

    func read(_ reader: Int) throws {
        let random = SeededRandom(seed: UInt64(100 + reader))
        var seen = Array(repeating: 0, count: writers * StressStore.pairs)
        while !isOver {
            let writer = random.below(writers)
            let pair = random.below(StressStore.pairs)
            let (a, b) = (StressStore.key("a", writer, pair), StressStore.key("b", writer, pair))
            let snapshot = engine.snapshot()
            let first = StressStore.number(try engine.value(forKey: a, in: pairs))
            let second = StressStore.number(try engine.value(forKey: b, in: pairs))
            let values = try engine.values(forKeys: [b, a], in: pairs, at: snapshot).map { StressStore.number($0) }
            try check(values[0] == values[1]) { "half a batch: \(values) under one snapshot" }
            try check(values[0] <= first && first <= second) { "\(values[0]), then \(first), then \(second)" }
            let index = writer * StressStore.pairs + pair
            try check(values[0] >= seen[index]) { "\(values[0]) after \(seen[index])" }
            seen[index] = second
        }
    }

    /// Scans at one snapshot each. Every pair is complete and at least as new as in the previous scan.
    func scan(_ order: ScanOrder) throws {
        var seen: [[UInt8]: Int] = [:]
        while !isOver {
            var numbers: [[UInt8]: Int] = [:]
            var last: [UInt8]?
            let snapshot = engine.snapshot()
            for (key, value) in try engine.entries(in: pairs, order: order, at: snapshot) {
                if let last {
                    try check(
                        order == .forward ? ByteComparison.precedes(last, key) : ByteComparison.precedes(key, last)
                    ) {
                        "a scan is out of order"
                    }
                }
                last = key
                numbers[key] = StressStore.number(value)
            }
            for (key, number) in numbers {
                var other = key
                other[0] = key[0] == UInt8(ascii: "a") ? UInt8(ascii: "b") : UInt8(ascii: "a")
                try check(numbers[other] == number) { "a scan shows half a batch: \(number), \(numbers[other] ?? 0)" }
                try check(number >= seen[key] ?? 0) { "a scan goes back from \(seen[key] ?? 0) to \(number)" }
            }
            try check(seen.keys.allSatisfy { numbers[$0] != nil }) { "a scan misses a key" }
            seen = numbers
        }
    }

    /// Holds cursors over many blocks while everything else happens.
    func holdCursors(_ reader: Int) throws {
        let random = SeededRandom(seed: UInt64(200 + reader))
        while !isOver {
            let order = random.below(2) == 0 ? ScanOrder.forward : .reversed
            let snapshot = engine.snapshot()
            let expected = try engine.entries(in: litter, order: order, at: snapshot)
            var cursor = try engine.cursor(in: litter, order: order, at: snapshot)
            for entry in expected {
                guard try cursor.next() else { throw StressFailure(description: "a held cursor ends early") }
                let isEqual =
                    unsafe ByteComparison.areEqual(cursor.key, entry.key.span.bytes)
                    && ByteComparison.areEqual(cursor.value, entry.value.span.bytes)
                try check(isEqual) { "a held cursor delivers another entry" }
                if random.below(50) == 0 { try engine.purge([litter]) }
            }
            let isEnded = try !cursor.next()
            try check(isEnded) { "a held cursor continues" }
        }
    }

    /// Increments a shared counter in transactions. Returns the number of commits.
    func count() throws -> Int {
        var successes = 0
        while !isOver {
            do throws(StorageError) {
                try engine.transaction(attempts: 4) { (transaction) throws(StorageError) in
                    let old = StressStore.number(try transaction.value(forKey: [1], in: counters))
                    try transaction.put(StressStore.value(old + 1), forKey: [1], in: counters)
                }
                successes += 1
            } catch {
                guard error.code == .conflict else { throw error }
            }
        }
        return successes
    }

    func maintain(_ seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        while !isOver {
            switch random.below(10) {
            case 0, 1: try engine.flush()
            case 2: try engine.compact()
            case 3: try engine.reclaim()
            case 4: try engine.purge([litter])
            case 5: try engine.truncate([litter])
            case 6: try engine.sync()
            case 7: try renewNamespace(random)
            case 8:
                let report = try engine.verify()
                try check(report.problems.isEmpty) { "verification: \(report.problems)" }
            default:
                _ = engine.statistics
                _ = try engine.statistics(of: pairs)
                _ = engine.namespaces
            }
        }
    }

    private func renewNamespace(_ random: SeededRandom) throws {
        let name = Array("temporary \(random.below(4))".utf8)
        if let old = engine.namespace(named: name)?.id {
            do throws(StorageError) {
                try engine.drop([old])
            } catch {
                // Another thread was faster.
                guard error.code == .namespaceDropped else { throw error }
            }
        }
        let fresh = try engine.createNamespace(named: name)
        do throws(StorageError) {
            try engine.put(name, forKey: name, in: fresh)
        } catch {
            guard error.code == .namespaceDropped else { throw error }
        }
    }

    func check(_ condition: Bool, _ text: () -> String) throws {
        if !condition { throw StressFailure(description: text()) }
    }

    /// Checks at the end that nothing acknowledged is missing.
    func checkNothingIsLost(in engine: Engine) throws {
        let numbers = written.withLock { $0 }
        for writer in 0..<writers {
            for pair in 0..<StressStore.pairs {
                for side in ["a", "b"] as [Character] {
                    let value = try engine.value(forKey: StressStore.key(side, writer, pair), in: pairs)
                    try check(StressStore.number(value) == numbers[writer][pair]) {
                        """
                        writer \(writer), pair \(pair): \(StressStore.number(value)) instead of \
                        \(numbers[writer][pair])
                        """
                    }
                }
            }
        }
    }
}
