#if os(Linux)
    import Glibc
    import ShaleBase
    import ShaleEngine
    import ShalePlatform
    import Synchronization
    import TestSupport
    import Testing

    /// A mixed load for hours on the real disk: nothing is lost, and memory, descriptors and disk space don't grow.
    /// `SOAK_SECONDS` overrides the ring: 28800 before a release.
    @Suite struct SoakTests {
        private struct Sample {
            let residentBytes: Int
            let descriptors: Int
            let diskBytes: Int
        }

        private static let seconds =
            Ring.setting("SOAK_SECONDS").flatMap { Int($0) } ?? Ring.choose(commit: 3, nightly: 60, release: 3600)

        @Test func aStoreUnderLoadStaysAsItIs() throws {
            let seconds = SoakTests.seconds
            let load = try SoakLoad(seconds: seconds)
            let samples = Locked<[Sample]>([])
            let random = (0..<5).map { SeededRandom(seed: Ring.seed &+ UInt64($0)) }
            let roles: [@Sendable () throws -> Void] = [
                { try load.readAndUpdate(random[0]) }, { try load.readAndUpdate(random[1]) },
                { try load.increment(random[2]) }, { try load.holdSnapshots(random[3]) },
                { try load.litterAndPurge(random[4]) },
                { try SoakTests.watch(load, every: max(1, seconds / 60), into: samples) },
            ]
            try TestThreads.run(roles.count) { i in
                do {
                    try roles[i]()
                } catch {
                    load.end()
                    throw error
                }
            }
            #expect(load.engine.statistics.backgroundFailures == 0)
            try load.verify()
            #expect(try load.countedIncrements() == load.increments.load(ordering: .relaxed))
            // A short run beside other tests tells nothing about growth.
            if seconds >= 60 { check(samples.withLock { $0 }) }
            try load.engine.close()
            try load.remove()
            Ring.covered(seconds, "seconds of soak")
            Ring.covered(load.operations.load(ordering: .relaxed), "operations of the soak")
            Ring.covered(load.verifications.load(ordering: .relaxed), "verifications of the soak")
        }

        /// Measures at every interval, and verifies ten times in all.
        private static func watch(_ load: SoakLoad, every interval: Int, into samples: Locked<[Sample]>) throws {
            var count = 0
            while !load.isOver {
                sleepNanoseconds(UInt64(interval) * 1_000_000_000)
                count += 1
                samples.withLock {
                    $0.append(
                        Sample(
                            residentBytes: ProcessMeter.residentBytes, descriptors: ProcessMeter.descriptorCount,
                            diskBytes: ProcessMeter.diskBytes(load.directory)))
                }
                if count % 6 == 0 { try load.verify() }
            }
        }

        /// Checks that the last third is no larger than the middle one, except for fluctuations.
        private func check(_ samples: [Sample]) {
            let third = samples.count / 3
            let (middle, last) = (samples[third..<2 * third], samples.suffix(third))
            func largest(_ samples: ArraySlice<Sample>, _ measure: (Sample) -> Int) -> Int {
                samples.map(measure).max() ?? 0
            }
            let memory = (largest(middle) { $0.residentBytes }, largest(last) { $0.residentBytes })
            #expect(memory.1 <= memory.0 + memory.0 / 10 + (8 << 20), "resident bytes \(memory)")
            let descriptors = (largest(middle) { $0.descriptors }, largest(last) { $0.descriptors })
            #expect(descriptors.1 <= descriptors.0 + 16, "descriptors \(descriptors)")
            let disk = (largest(middle) { $0.diskBytes }, largest(last) { $0.diskBytes })
            #expect(disk.1 <= disk.0 + disk.0 / 4 + (16 << 20), "bytes on disk \(disk)")
            print("soak: resident \(memory), descriptors \(descriptors), disk \(disk)")
        }
    }

    /// The kernel's figures of this process, and the size of a directory.
    enum ProcessMeter {
        static var residentBytes: Int {
            guard let file = unsafe fopen("/proc/self/statm", "r") else { return 0 }
            defer { unsafe fclose(file) }
            var line = [CChar](repeating: 0, count: 256)
            guard unsafe fgets(&line, Int32(line.count), file) != nil else { return 0 }
            let text = line.prefix { $0 != 0 }.map { Character(UnicodeScalar(UInt8(bitPattern: $0))) }
            let fields = String(text).split(separator: " ")
            return fields.count > 1 ? (Int(fields[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
        }

        static var descriptorCount: Int { names(in: "/proc/self/fd").count }

        /// Returns the allocated bytes of all files below `path`. Files that vanish meanwhile don't count.
        static func diskBytes(_ path: String) -> Int {
            names(in: path).reduce(0) { total, name in
                let inner = path + "/" + name
                var information = stat()
                guard unsafe lstat(inner, &information) == 0 else { return total }
                if information.st_mode & S_IFMT == S_IFDIR { return total + diskBytes(inner) }
                return total + Int(information.st_blocks) * 512
            }
        }

        private static func names(in path: String) -> [String] {
            guard let directory = unsafe opendir(path) else { return [] }
            defer { unsafe closedir(directory) }
            var names: [String] = []
            while let entry = unsafe readdir(directory) {
                let name = unsafe withUnsafePointer(to: entry.pointee.d_name) { pointer in
                    unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                }
                if name != ".", name != ".." { names.append(name) }
            }
            return names
        }
    }
#endif
