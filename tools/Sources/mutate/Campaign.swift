import Formatting
import Foundation

/// Plants, builds, runs and tells.
struct Campaign {
    private struct Planted: Sendable {
        let number: Int
        let area: Area
        let mutation: Mutation
    }

    /// Mutations that don't compile are replaced by later ones of the same draw.
    private static let spareFactor = 2
    /// Numbers of the area at index 0 begin at 1000, of the next at 2000.
    private static let areaStep = 1000

    private let options: Options
    private let root: URL
    private let scratch: URL
    private let areas: [Area]
    private let equivalents: Equivalents

    init(_ options: Options) throws {
        self.options = options
        root = URL(fileURLWithPath: options.root)
        scratch = URL(fileURLWithPath: options.scratch)
        let support = root.appendingPathComponent("tools/support")
        areas = try Area.parse(
            String(contentsOf: support.appendingPathComponent("mutation-areas.txt"), encoding: .utf8))
        equivalents = try Equivalents(
            String(contentsOf: support.appendingPathComponent("equivalent-mutations.txt"), encoding: .utf8))
        for name in options.areas where !areas.contains(where: { $0.name == name }) {
            throw MutateError("no area \(name); there are \(areas.map(\.name).joined(separator: ", "))")
        }
    }

    /// True if every mutation was caught or is equivalent.
    func run() async throws -> Bool {
        printLine("seed \(options.seed), \(options.count) mutations in each of \(areas.count) areas")
        var planted = try draw()
        if options.lists {
            for one in planted { printLine(head(one)) }
            return true
        }
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        let tree = Tree(root: root, url: scratch.appendingPathComponent("tree"))
        planted = try await compile(planted, in: tree)
        let chosen = areas.flatMap { area in
            planted.filter { $0.area == area }.prefix(options.count).filter { isWanted($0) }
        }
        let tests = TestRun(program: try await tree.testProgram(), directory: tree.url, scratch: scratch)
        return try await judge(chosen, tests)
    }

    private func isWanted(_ planted: Planted) -> Bool {
        (options.areas.isEmpty || options.areas.contains(planted.area.name))
            && (options.only.isEmpty || options.only.contains(planted.number))
    }

    private func draw() throws -> [Planted] {
        var planted: [Planted] = []
        for (index, area) in areas.enumerated() {
            var all: [Mutation] = []
            for path in try area.paths(in: root) {
                let source = [UInt8](try Data(contentsOf: root.appendingPathComponent(path)))
                all += MutationFinder.mutations(in: source, path: path)
            }
            var draw = Draw(seed: options.seed, area: area.name)
            let taken = draw.take(options.count * Campaign.spareFactor, of: all)
            printLine("\(area.name): \(taken.count) drawn of \(all.count) possible")
            planted += taken.enumerated().map {
                Planted(number: (index + 1) * Campaign.areaStep + $0, area: area, mutation: $1)
            }
        }
        return planted
    }

    /// Builds the tests with all mutations that compile, and returns those.
    private func compile(_ drawn: [Planted], in tree: Tree) async throws -> [Planted] {
        let start = Date()
        // A mutation that the compiler refused in an earlier run costs no build. An edit of its line forgets the
        // refusal, because the identity contains the text of the line.
        let notes = scratch.appendingPathComponent("refused.txt")
        let known = FileManager.default.contents(atPath: notes.path) ?? Data()
        var refused = Set(String(decoding: known, as: UTF8.self).split(separator: "\n").map(String.init))
        func name(_ planted: Planted) -> String {
            let identity = planted.mutation.identity
            return "\(identity.path)\t\(identity.sourceLine)\t\(identity.change)"
        }
        var includesTests = false
        while true {
            let planted = drawn.filter { !refused.contains(name($0)) }
            try tree.write(planted.map { ($0.number, $0.mutation) })
            let found = try await tree.build(includesTests: includesTests)
            for one in planted where found.contains(one.number) {
                printLine("\(head(one))  does not compile")
                refused.insert(name(one))
            }
            try refused.sorted().joined(separator: "\n").write(to: notes, atomically: true, encoding: .utf8)
            if found.isEmpty, includesTests {
                printLine("built in \(Int(Date().timeIntervalSince(start))) s")
                return planted
            }
            if found.isEmpty { includesTests = true }
        }
    }

    // MARK: Judging

    private func judge(_ chosen: [Planted], _ tests: TestRun) async throws -> Bool {
        let limits = TimeLimits(tests, fixed: options.limit)
        var counts: [String: (caught: Int, survived: Int, equivalent: Int)] = [:]
        var survivors: [Planted] = []
        try await withThrowingTaskGroup(of: (Planted, String, TestRun.Verdict?).self) { group in
            var waiting = chosen[...]
            func startNext() {
                guard let next = waiting.popFirst() else { return }
                group.addTask { try await verdict(next, tests, limits) }
            }
            for _ in 0..<options.jobs { startNext() }
            while let (planted, words, verdict) = try await group.next() {
                printLine("\(head(planted))\n      \(words)")
                switch verdict {
                case nil: counts[planted.area.name, default: (0, 0, 0)].equivalent += 1
                case .survived:
                    counts[planted.area.name, default: (0, 0, 0)].survived += 1
                    survivors.append(planted)
                case .caught, .timedOut: counts[planted.area.name, default: (0, 0, 0)].caught += 1
                }
                startNext()
            }
        }
        var (caught, total) = (0, 0)
        printLine("\n\("area".padded(to: 14))     run  caught  survived  equivalent")
        for area in areas {
            guard let count = counts[area.name] else { continue }
            let numbers = [count.caught + count.survived, count.caught, count.survived, count.equivalent]
            let widths = [8, 8, 10, 12]
            printLine(area.name.padded(to: 14) + zip(numbers, widths).map { "\($0)".paddedLeft(to: $1) }.joined())
            caught += count.caught
            total += count.caught + count.survived
        }
        for survivor in survivors { printLine("SURVIVED \(head(survivor))\n      > \(survivor.mutation.sourceLine)") }
        printLine("caught \(caught)/\(total)")
        return caught == total
    }

    private func verdict(
        _ planted: Planted, _ tests: TestRun, _ limits: TimeLimits
    ) async throws -> (Planted, String, TestRun.Verdict?) {
        if let reason = equivalents.reason(planted.mutation) { return (planted, "equivalent: \(reason)", nil) }
        var seconds = 0.0
        for filter in planted.area.filters {
            let limit = try await limits.seconds(for: filter)
            let (verdict, more) = try await tests.run(planted.number, filter: filter, secondsMax: limit)
            seconds += more
            switch verdict {
            case .caught(let test): return (planted, "caught by \(test), \(Int(seconds)) s", verdict)
            case .timedOut: return (planted, "timed out, \(Int(seconds)) s", verdict)
            case .survived: continue
            }
        }
        return (planted, "SURVIVED, \(Int(seconds)) s", .survived)
    }

    private func head(_ planted: Planted) -> String {
        let mutation = planted.mutation
        return "\(planted.number)  \(mutation.path):\(mutation.line)  \(mutation.change)"
    }
}

/// A part of the engine, and the tests that should notice mistakes in it.
struct Area: Equatable, Sendable {
    var name: String
    /// Files, or folders with a slash at the end.
    var files: [String] = []
    /// Regular expressions for `--filter`. Each is tried if the one before has not noticed anything.
    var filters: [String] = []

    /// Reads tools/support/mutation-areas.txt. Filters in front of the first area come last for every area.
    static func parse(_ text: String) throws -> [Area] {
        var areas: [Area] = []
        var common: [String] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ", maxSplits: 1).map { $0.trimmedOfBlanks }
            guard words.count == 2 else { throw MutateError("not an area's line: \(line)") }
            switch words[0] {
            case "area": areas.append(Area(name: words[1]))
            case "tests" where areas.isEmpty: common.append(words[1])
            case "tests": areas[areas.count - 1].filters.append(words[1])
            case "files" where !areas.isEmpty:
                areas[areas.count - 1].files += words[1].split(separator: " ").map(String.init)
            default: throw MutateError("not an area's line: \(line)")
            }
        }
        for index in areas.indices { areas[index].filters += common }
        return areas
    }

    /// The paths of the area's files, below `root`.
    func paths(in root: URL) throws -> [String] {
        var paths: [String] = []
        for name in files {
            guard name.hasSuffix("/") else {
                paths.append(name)
                continue
            }
            let folder = root.appendingPathComponent(name).path
            paths += try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
                .sorted().map { name + $0 }
        }
        return paths
    }
}
