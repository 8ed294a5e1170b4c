#if os(Linux)
    import Glibc
    import ShaleEngine
    import Testing

    /// The memory that a process with a loaded store takes from the system, compared with the store's budget.
    @Suite struct MemoryBoundTests {
        /// Runs in a process of its own, in which only the store grows.
        @Test func aSmallBudgetBoundsTheProcess() async {
            await #expect(processExitsWith: .success) {
                let load = try MemoryLoad()
                try load.run()
                let growth = ProcessMemory.peakBytes - load.startBytes
                try #require(growth <= load.options.memoryBudget + (16 << 20), "grew by \(growth >> 20) MiB")
            }
        }
    }

    /// A heavy mixed load on a store of several times its budget.
    private struct MemoryLoad {
        let options: Engine.Options
        let startBytes: Int
        private let directory: String
        private let engine: Engine
        private let namespace: NamespaceID
        private let keyCount = 60_000

        init() throws {
            var options = Engine.Options()
            options.memtableBytes = 1 << 20
            options.memoryBudget = 16 << 20
            options.baseLevelBytes = 4 << 20
            self.options = options
            directory = try #require(MemoryLoad.makeDirectory())
            // The first store of a process loads its code and tables.
            try Engine.open(at: directory + "/warm", options: options).close()
            startBytes = ProcessMemory.residentBytes
            engine = try Engine.open(at: directory + "/store", options: options)
            namespace = try engine.createNamespace(named: [1])
        }

        private static func makeDirectory() -> String? {
            var path = Array("/tmp/shale-memory-XXXXXX".utf8CString)
            return unsafe mkdtemp(&path).map { unsafe String(cString: $0) }
        }

        func run() throws {
            for round in 0..<2 { for i in 0..<keyCount { try write(i * 7919 % keyCount, round) } }
            for i in 0..<30_000 {
                _ = try engine.value(forKey: key(i * 104_729 % keyCount), in: namespace)
                if i % 4 == 0 { try write(i * 31 % keyCount, i) }
                if i % 10_000 == 0 {
                    for reversed in [ScanOrder.forward, .reversed] {
                        var cursor = try engine.cursor(in: namespace, order: reversed)
                        var steps = 0
                        while steps < 5000, try cursor.next() { steps += 1 }
                    }
                }
            }
            try engine.close()
        }

        private func key(_ i: Int) -> [UInt8] { Array(String(i * 1_000_003 % 999_983).utf8) }

        /// Writes values of many lengths, which compress to half.
        private func write(_ i: Int, _ round: Int) throws {
            let count = 100 + (i * 37 + round) % 400
            let value = (0..<count).map { $0 < count / 2 ? UInt8(truncatingIfNeeded: ($0 &+ i) &* 167 >> 3) : 0 }
            try engine.put(value, forKey: key(i), in: namespace)
        }
    }

    /// The kernel's memory figures of this process.
    private enum ProcessMemory {
        static var peakBytes: Int { bytes("VmHWM:") }
        static var residentBytes: Int { bytes("VmRSS:") }

        private static func bytes(_ field: String) -> Int {
            guard let file = unsafe fopen("/proc/self/status", "r") else { return 0 }
            defer { unsafe fclose(file) }
            var line = [CChar](repeating: 0, count: 256)
            while unsafe fgets(&line, Int32(line.count), file) != nil {
                let text = line.prefix { $0 != 0 }.map { Character(UnicodeScalar(UInt8(bitPattern: $0))) }
                guard String(text).hasPrefix(field) else { continue }
                return (Int(String(text.filter(\.isNumber))) ?? 0) << 10
            }
            return 0
        }
    }
#endif
