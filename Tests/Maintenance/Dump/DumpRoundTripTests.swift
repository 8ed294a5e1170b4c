import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

/// Loading a dump restores the dumped content.
@Suite struct DumpRoundTripTests {
    private let time = ManualTime()

    private func dump(_ files: SimulatedFileSystem, _ path: String, _ time: ManualTime) throws -> [UInt8] {
        var text: [UInt8] = []
        _ = try Maintenance.dump(
            storeAt: path, engine: StoreScript.options(time), environment: EngineEnvironment(fileSystem: files)
        ) { (piece) throws(StorageError) in unsafe piece.withUnsafeBytes { unsafe text.append(contentsOf: $0) } }
        return text
    }

    private func load(
        _ text: [UInt8], _ files: SimulatedFileSystem, pieces: Int = 1000, threads: Int = 1
    ) throws -> UInt64 {
        var rest = text[...]
        return try Maintenance.load(
            into: "/new", options: StoreScript.options(time), fileSystem: files, threads: threads
        ) {
            let piece = Array(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            return piece
        }
    }

    @Test func randomStoresComeBack() throws {
        for seed: UInt64 in 1...Ring.choose(commit: 6, nightly: 60, release: 600) {
            let store = try PopulatedStore(seed: Ring.seed &* 77 &+ seed, operations: 800)
            let files = store.files.crashClone(.processKill)
            let text = try dump(files, StoreScript.path, store.time)
            _ = try load(text, files)
            #expect(try PopulatedStore.content(of: files, at: "/new", store.time) == store.content, "seed \(seed)")
            // The lines include purgeability, expiry, ids and options.
            #expect(try dump(files, "/new", store.time) == text, "seed \(seed) \(Ring.reproduction)")
        }
    }

    /// A load of several segments with threads: other threads compress blocks and finish a segment while the next one
    /// fills.
    @Test func threadsMakeTheSameStore() throws {
        let store = try PopulatedStore(seed: Ring.seed &* 91 &+ 4, operations: 3000)
        let files = store.files.crashClone(.processKill)
        let text = try dump(files, StoreScript.path, store.time)
        for threads in [1, 2, 4] {
            let target = files.crashClone(.processKill)
            _ = try load(text, target, threads: threads)
            #expect(try dump(target, "/new", store.time) == text)
            let engine = try PopulatedStore.open(target, at: "/new", store.time)
            #expect(try engine.verify().problems.isEmpty)
            #expect(engine.statistics.levels.last?.segments ?? 0 > 1)
            try engine.close()
        }
    }

    /// An error that another thread gets while finishing a segment fails the load, which leaves no file.
    @Test func aFailureOnAnotherThreadEndsTheLoad() throws {
        let store = try PopulatedStore(seed: Ring.seed &* 91 &+ 4, operations: 3000)
        let files = store.files.crashClone(.processKill)
        let text = try dump(files, StoreScript.path, store.time)
        files.inject(FaultRule(on: [.sync], path: "/new/segments/*", when: .always, repeatsForever: true, .error(5)))
        let error = #expect(throws: StorageError.self) { try load(text, files, threads: 2) }
        #expect(error?.code == .ioFailure)
        #expect(files.read("/new/CURRENT") == nil)
        #expect(files.paths().allSatisfy { !$0.hasPrefix("/new/segments/") })
    }

    @Test func everyKindOfByteComesBack() throws {
        let files = SimulatedFileSystem(seed: 1)
        let engine = try StoreScript.open(files, time)
        let namespaces = [
            try engine.createNamespace(named: [1, 2, 0, 0x61, 0x22], options: [1, 0, 1, 0, 0, 0, 1]),
            try engine.createNamespace(named: [2, 1, 0, 0x75, 3, 0, 0x0a, 0x5c, 0x22]),
            try engine.createNamespace(named: [0xff, 0], options: [0, 1, 2, 255]),
        ]
        let random = SeededRandom(seed: 5)
        let text = Array("plain \u{1} \"quoted\" \\ \n ü 🪨 \u{7f} and quite a bit longer than a word".utf8)
        for number in 0..<600 {
            let key = number == 0 ? [] : number % 3 == 0 ? random.bytes(number % 40) : text + Array("\(number)".utf8)
            var value: [UInt8] =
                number % 7 == 0 ? random.bytes(number % 30) : [UInt8(number % 20), UInt8(number % 3 / 2)]
            value += number % 2 == 0 ? Array(text.prefix(number % 60)) : random.bytes(number % 9)
            // The namespaces of the store contain encoded values. The last namespace belongs to the raw engine and
            // contains any bytes.
            if number % namespaces.count != 2 {
                value = [number % 4 < 2 ? 1 : 200, number % 8 < 4 ? 0 : 2] + (number % 8 < 4 ? [] : [0, 0]) + value
                if number % 16 == 0 { value = [2, 0] + text.prefix(20) }
            }
            var options = PutOptions()
            options.isPurgeable = number % 5 == 0
            if number % 4 == 0 { options.expiresAtMilliseconds = time.wallMilliseconds + 1 + Int64(number) }
            try unsafe engine.put(
                value.span.bytes, forKey: key.span.bytes, in: namespaces[number % namespaces.count], options: options)
        }
        try engine.close()
        let dumped = try dump(files, StoreScript.path, time)
        for size in [1, 7, 1 << 20] {
            let target = files.crashClone(.processKill)
            _ = try load(dumped, target, pieces: size)
            #expect(try dump(target, "/new", time) == dumped)
            #expect(
                try PopulatedStore.content(of: target, at: "/new", time)
                    == PopulatedStore.content(of: files, at: StoreScript.path, time))
        }
    }

    /// A text whose escapes would exceed the length limit of a line.
    @Test func theLongestTextIsLoadedAgain() throws {
        let files = SimulatedFileSystem(seed: 1)
        files.recordsOperations = false
        let engine = try StoreScript.open(files, time)
        let namespace = try engine.createNamespace(named: [1, 1, 0, 0x6e])
        let value = [2, 0] + [UInt8](repeating: 1, count: 22 << 20)
        try engine.put(value, forKey: [1], in: namespace)
        try engine.close()
        #expect(try load(try dump(files, StoreScript.path, time), files, pieces: 1 << 20) == 1)
        #expect(try PopulatedStore.content(of: files, at: "/new", time)[[1, 1, 0, 0x6e]]?[[1]] == value)
    }

    @Test func aDumpThatIsCutShortMakesNoStore() throws {
        let files = SimulatedFileSystem(seed: 1)
        let engine = try StoreScript.open(files, time)
        let namespace = try engine.createNamespace(named: Array("n".utf8))
        for number in 0..<50 {
            let bytes = Array("\(number)".utf8)
            try unsafe engine.put(bytes.span.bytes, forKey: bytes.span.bytes, in: namespace)
        }
        try engine.close()
        let text = try dump(files, StoreScript.path, time)
        for cut in stride(from: 0, to: text.count - 1, by: 7) {
            let error = #expect(throws: StorageError.self) { try load(Array(text.prefix(cut)), files) }
            #expect(error?.code == .invalidArgument)
            #expect(files.read("/new/CURRENT") == nil)
        }
        // The failed loads do not obstruct the next load.
        #expect(try load(text, files) == 50)
    }

    @Test func linesMayBeWrittenByOthers() throws {
        let files = SimulatedFileSystem(seed: 1)
        let text = """
            { "shaleDump" : 1, "nextNamespace" : 9 }
            {"namespace":3,"path":["a","\\u00e4\\ud83e\\udea8"],"user":"me"}

            {"c":2, "v":"\\u0041\\/\\b", "k":"x\\ty", "purgeable":false}\r
            {"expires":9223372036854775807,"k":"z","c":4,"i":-9223372036854775808}
            {"end":2}
            """
        #expect(try load(Array(text.utf8), files) == 2)
        let content = try PopulatedStore.content(of: files, at: "/new", time)
        let name: [UInt8] = [2, 2, 0] + Array("me".utf8) + [1, 0] + Array("a".utf8) + [6, 0] + Array("ä🪨".utf8)
        #expect(content[name]?[Array("x\ty".utf8)] == [2, 0, 0x41, 0x2f, 8])
        #expect(content[name]?[Array("z".utf8)] == [4, 0, 0, 0, 0, 0, 0, 0, 0, 0x80])
    }

    @Test(arguments: [
        "{\"k\":\"a\",\"c\":2,\"v\":\"x\"}", "{\"k\":\"b\",\"v\":\"x\",\"c\":2}", "{\"k\":\"b\"}",
        "{\"c\":2,\"v\":\"x\"}",
        "{\"k\":\"b\",\"c\":2,\"v\":\"x\",\"colour\":1}", "{\"k\":\"b\",\"c\":0,\"v\":\"x\"}",
        "{\"k\":\"b\",\"c\":2,\"v\":\"x",
        "{\"k\":\"b\",\"raw64\":\"AAA\"}", "{\"k\":\"b\",\"raw64\":\"A*AA\"}",
        "{\"k\":\"b\",\"c\":4,\"i\":9223372036854775808}",
        "{\"k\":\"b\",\"c\":2,\"v\":\"\\ud800\"}", "{\"k\":\"b\",\"c\":2,\"v\":\"x\"} {}",
        "{\"namespace\":3,\"path\":[\"b\"]}", "[]",
    ])
    func inputThatIsNoDumpIsRefusedWithItsLine(line: String) throws {
        let files = SimulatedFileSystem(seed: 1)
        let head = "{\"shaleDump\":1,\"nextNamespace\":9}\n{\"namespace\":3,\"path\":[\"a\"]}\n"
        let text = head + "{\"k\":\"a\",\"c\":2,\"v\":\"x\"}\n" + line + "\n{\"end\":2}\n"
        let error = #expect(throws: StorageError.self) { try load(Array(text.utf8), files) }
        #expect(error?.message.hasPrefix("line 4 of the dump") == true, "\(String(describing: error))")
    }
}
