#if os(Linux)
    import Glibc
    import ShaleBase
    import ShaleEngine
    import ShalePlatform
    import Synchronization
    import Testing

    /// A store on the real disk under a mixed load of constant size: reads and updates (YCSB A), read-modify-write (F),
    /// snapshots that must not change, purges, verification.
    final class SoakLoad: Sendable {
        static let keyCount = 20_000

        let directory: String
        let engine: Engine
        private let values: NamespaceID
        private let counters: NamespaceID
        private let litter: NamespaceID
        private let deadline: UInt64
        private let hasFailed = Atomic(false)
        let operations = Atomic(0)
        let increments = Atomic(0)
        let verifications = Atomic(0)

        init(seconds: Int) throws {
            var template = Array(
                "\(unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp")/shale-soak-XXXXXX".utf8CString)
            directory = try #require(unsafe mkdtemp(&template).map { unsafe String(cString: $0) })
            var options = Engine.Options()
            options.memtableBytes = 4 << 20
            options.memoryBudget = 48 << 20
            options.segmentBytes = 4 << 20
            options.upperSegmentBytes = 2 << 20
            options.baseLevelBytes = 8 << 20
            options.compactionThreads = 2
            engine = try Engine.open(at: directory + "/store", options: options)
            values = try engine.createNamespace(named: Array("values".utf8))
            counters = try engine.createNamespace(named: Array("counters".utf8))
            litter = try engine.createNamespace(named: Array("litter".utf8))
            for i in 0..<SoakLoad.keyCount {
                try engine.put(SoakLoad.value(i, 0), forKey: SoakLoad.key(i), in: values)
            }
            deadline = SystemTime().monotonicNanoseconds + UInt64(seconds) * 1_000_000_000
        }

        var isOver: Bool { hasFailed.load(ordering: .relaxed) || SystemTime().monotonicNanoseconds >= deadline }

        func end() { hasFailed.store(true, ordering: .relaxed) }

        private static func key(_ i: Int) -> [UInt8] { Array("user\(i * 7919 % keyCount)".utf8) }

        /// Returns the key's number, a round, and bytes that compress to half.
        private static func value(_ i: Int, _ round: Int) -> [UInt8] {
            let head = Array("\(i) \(round) ".utf8)
            return head + (0..<300 + i % 200).map { $0 % 2 == 0 ? UInt8(truncatingIfNeeded: ($0 &+ round) &* 167) : 32 }
        }

        private func update(_ i: Int, _ round: Int, _ durability: Durability? = nil) throws {
            try engine.put(SoakLoad.value(i, round), forKey: SoakLoad.key(i), in: values, durability: durability)
        }

        /// YCSB A: half reads, half updates, with a skewed distribution of keys.
        func readAndUpdate(_ random: SeededRandom) throws {
            var round = 0
            while !isOver {
                round += 1
                let i = random.below(1 + random.below(SoakLoad.keyCount))
                if random.chance(0.5) {
                    try update(i, round, random.chance(0.001) ? .synced : nil)
                } else {
                    let value = try engine.value(forKey: SoakLoad.key(i), in: values)
                    guard value?.starts(with: Array("\(i) ".utf8)) == true else {
                        throw StressFailure(description: "another value for key \(i)")
                    }
                }
                operations.add(1, ordering: .relaxed)
            }
        }

        /// YCSB F: read, add one, write.
        func increment(_ random: SeededRandom) throws {
            while !isOver {
                let key = SoakLoad.key(random.below(500))
                try engine.transaction(attempts: 1000) { (transaction) throws(StorageError) in
                    let count = StressStore.number(try transaction.value(forKey: key, in: counters))
                    try transaction.put(Array("\(count + 1) ".utf8), forKey: key, in: counters)
                }
                increments.add(1, ordering: .relaxed)
                operations.add(1, ordering: .relaxed)
            }
        }

        /// Checks that a snapshot shows the same again, whatever is written and purged meanwhile.
        func holdSnapshots(_ random: SeededRandom) throws {
            while !isOver {
                let snapshot = engine.snapshot()
                let first = random.below(SoakLoad.keyCount - 200)
                let keys = (first..<first + 200).map(SoakLoad.key)
                let before = try engine.values(forKeys: keys, in: values, at: snapshot)
                // The life of a snapshot under load.
                sleepNanoseconds(UInt64(random.below(500)) * 1_000_000)
                guard try engine.values(forKeys: keys, in: values, at: snapshot) == before else {
                    throw StressFailure(description: "a snapshot has changed")
                }
                operations.add(400, ordering: .relaxed)
            }
        }

        /// Writes and purges purgeable entries.
        func litterAndPurge(_ random: SeededRandom) throws {
            var round = 0
            while !isOver {
                round += 1
                for i in 0..<2000 where !isOver {
                    try engine.put(
                        SoakLoad.value(i, round), forKey: SoakLoad.key(i), in: litter,
                        options: PutOptions(isPurgeable: true))
                }
                try engine.purge([litter])
                guard try engine.entries(in: litter).isEmpty else {
                    throw StressFailure(description: "entries are left after a purge")
                }
                try engine.reclaim()
                operations.add(2000, ordering: .relaxed)
                // A pause, so that purges stay a part of the load.
                sleepNanoseconds(200_000_000)
            }
        }

        func verify() throws {
            let report = try engine.verify()
            guard report.problems.isEmpty else { throw StressFailure(description: "verify: \(report.problems)") }
            verifications.add(1, ordering: .relaxed)
        }

        /// Returns the sum of all counters, in which every increment counts once.
        func countedIncrements() throws -> Int {
            try engine.entries(in: counters).reduce(0) { $0 + StressStore.number($1.value) }
        }

        /// Removes the store from the disk.
        func remove() throws {
            let files = try PosixFileSystem().openDirectory(directory, create: false)
            try SoakLoad.empty(files, directory)
            unsafe rmdir(directory)
        }

        private static func empty(_ files: any Directory, _ path: String) throws {
            for name in try files.list() where unsafe unlink(path + "/" + name) != 0 {
                try empty(files.openDirectory(name, create: false), path + "/" + name)
                unsafe rmdir(path + "/" + name)
            }
        }
    }
#endif
