import Foundation

/// A copy of the package with mutations in it, built apart from the package itself.
final class Tree {
    let url: URL
    private let root: URL
    private var locations: [String: [Rewriter.Location]] = [:]

    /// The build of the project's own tests: their processor time is a quarter of that of a debug build.
    private static let buildCommand = ["swift", "build", "-c", "release"]
    private static let buildEnvironment = ["SHALE_TESTS": "1"]

    /// The test targets that are built, with what they need: the manifest's others are left out.
    private static let testTargets = [
        "EngineTests", "LogTests", "ManifestTests", "SegmentTests", "CompactionTests", "MaintenanceTests", "ShaleTests",
    ]
    private static let manifestEnd = """

        var kept: Set = [\(testTargets.map { "\"\($0)\"" }.joined(separator: ", "))]
        while true {
            let needed = package.targets.filter { kept.contains($0.name) }.flatMap(\\.dependencies).compactMap { \
        dependency in
                switch dependency {
                case .targetItem(let name, _), .byNameItem(let name, _): name
                default: nil
                }
            }
            if kept.isSuperset(of: needed) { break }
            kept.formUnion(needed)
        }
        package.targets.removeAll { !kept.contains($0.name) }
        package.products.removeAll()
        package.dependencies.removeAll()

        """

    init(root: URL, url: URL) {
        self.root = root
        self.url = url
    }

    /// Brings the copy up to date. Files that are right already keep their times, so that a second build is short.
    func write(_ planted: [(number: Int, mutation: Mutation)]) throws {
        let byPath = Dictionary(grouping: planted, by: \.mutation.path)
        var wanted: Set<String> = [Rewriter.switchPath, "Package.swift"]
        locations = [:]
        for folder in ["Sources", "Tests"] {
            for path in try Tree.files(below: root, folder) {
                wanted.insert(path)
                var content = try Data(contentsOf: root.appendingPathComponent(path))
                if let mutations = byPath[path] {
                    let (rewritten, locations) = Rewriter.rewrite([UInt8](content), mutations)
                    content = Data(rewritten)
                    self.locations[path] = locations
                }
                try put(content, path)
            }
        }
        try put(Data(Rewriter.switchSource.utf8), Rewriter.switchPath)
        let manifest = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
        try put(Data((manifest + Tree.manifestEnd).utf8), "Package.swift")
        for folder in ["Sources", "Tests"] {
            for path in try Tree.files(below: url, folder) where !wanted.contains(path) {
                try FileManager.default.removeItem(at: url.appendingPathComponent(path))
            }
        }
    }

    private static func files(below root: URL, _ folder: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: root.appendingPathComponent(folder).path) else { return [] }
        let names = try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path)
        return try names.map { folder + "/" + $0 }.filter { path in
            let attributes = try FileManager.default.attributesOfItem(atPath: root.appendingPathComponent(path).path)
            return attributes[.type] as? FileAttributeType == .typeRegular
        }
    }

    private func put(_ content: Data, _ path: String) throws {
        let file = url.appendingPathComponent(path)
        if FileManager.default.contents(atPath: file.path) == content { return }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try content.write(to: file)
    }

    // MARK: Building

    /// The numbers of mutations that the compiler refuses; empty when everything is built. Builds the tests only if
    /// `includesTests`.
    func build(includesTests: Bool) async throws -> Set<Int> {
        let arguments = includesTests ? ["--build-tests"] : ["--target", "ShaleMaintenance"]
        let log = url.deletingLastPathComponent().appendingPathComponent("build.log")
        let run = try await Child.run(
            Tree.buildCommand + ["--package-path", url.path] + arguments, environment: Tree.buildEnvironment,
            output: log, secondsMax: 3600)
        if run.outcome == .exited(0) { return [] }
        let output = try String(contentsOf: log, encoding: .utf8)
        let refused = refused(in: output)
        guard !refused.isEmpty else {
            throw MutateError("the copy can't be built, see \(log.path)\n\(output.suffix(2000))")
        }
        return refused
    }

    /// Whose lines the compiler's errors name. An error beside all mutations belongs to the nearest one.
    func refused(in output: String) -> Set<Int> {
        var refused: Set<Int> = []
        for line in output.split(separator: "\n") {
            guard let match = line.firstMatch(of: /(Sources\/[^:]*\.swift):(\d+):\d+: error:/),
                let number = Int(match.2), let locations = locations[String(match.1)]
            else { continue }
            func distance(_ location: Rewriter.Location) -> Int {
                location.lines.contains(number)
                    ? 0 : min(abs(location.lines.lowerBound - number), abs(location.lines.upperBound - number))
            }
            if let nearest = locations.min(by: { distance($0) < distance($1) }) { refused.insert(nearest.number) }
        }
        return refused
    }

    /// The program that runs the tests.
    func testProgram() async throws -> String {
        let log = url.deletingLastPathComponent().appendingPathComponent("path.log")
        _ = try await Child.run(
            Tree.buildCommand + ["--package-path", url.path, "--show-bin-path"],
            environment: Tree.buildEnvironment, output: log, secondsMax: 600)
        let directory = try String(contentsOf: log, encoding: .utf8).split(separator: "\n").last.map(String.init) ?? ""
        return directory + "/ShalePackageTests.xctest"
    }
}

/// Puts mutations into a file, each behind a switch that the environment sets.
enum Rewriter {
    /// The lines of the rewritten file that a mutation takes.
    struct Location {
        let number: Int
        let lines: ClosedRange<Int>
    }

    /// `planted` must not overlap.
    static func rewrite(_ source: [UInt8], _ planted: [(number: Int, mutation: Mutation)]) -> ([UInt8], [Location]) {
        var output: [UInt8] = []
        var locations: [Location] = []
        var position = 0
        var line = 1
        func append(_ bytes: some Sequence<UInt8>) {
            for byte in bytes {
                output.append(byte)
                if byte == UInt8(ascii: "\n") { line += 1 }
            }
        }
        for (number, mutation) in planted.sorted(by: { $0.mutation.range.lowerBound < $1.mutation.range.lowerBound }) {
            append(source[position..<mutation.range.lowerBound])
            let first = line
            append(mutation.replacement.replacing(Mutation.condition, with: "PlantedMutation.isActive(\(number))").utf8)
            locations.append(Location(number: number, lines: first...line))
            position = mutation.range.upperBound
        }
        append(source[position...])
        // Behind everything else: no line moves.
        if !planted.isEmpty, !String(decoding: source, as: UTF8.self).contains("import ShaleBase") {
            append("\nimport ShaleBase\n".utf8)
        }
        return (output, locations)
    }

    /// The source of the switch.
    static let switchSource = """
        #if canImport(Darwin)
            import Darwin
        #elseif canImport(Musl)
            import Musl
        #else
            import Glibc
        #endif

        package enum PlantedMutation {
            private static let active: Int = unsafe getenv("SHALE_MUTATION").flatMap { \
        unsafe Int(String(cString: $0)) } ?? 0

            @inline(never)
            package static func isActive(_ number: Int) -> Bool { number == active }
        }

        """
    static let switchPath = "Sources/Engine/Base/PlantedMutation.swift"
}
