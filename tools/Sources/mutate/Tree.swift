import Foundation

/// A copy of the package with mutations in it, built apart from the package itself.
final class Tree {
    let url: URL
    private let root: URL
    private var places: [String: [Rewriter.Place]] = [:]

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
        places = [:]
        for folder in ["Sources", "Tests"] {
            for path in try Tree.files(below: root, folder) {
                wanted.insert(path)
                var content = try Data(contentsOf: root.appendingPathComponent(path))
                if let mutations = byPath[path] {
                    let (rewritten, places) = Rewriter.rewrite([UInt8](content), mutations)
                    content = Data(rewritten)
                    self.places[path] = places
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
            ["swift", "build", "--package-path", url.path] + arguments, output: log, secondsMax: 3600)
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
                let number = Int(match.2), let places = places[String(match.1)]
            else { continue }
            func distance(_ place: Rewriter.Place) -> Int {
                place.lines.contains(number)
                    ? 0 : min(abs(place.lines.lowerBound - number), abs(place.lines.upperBound - number))
            }
            if let nearest = places.min(by: { distance($0) < distance($1) }) { refused.insert(nearest.number) }
        }
        return refused
    }

    /// The program that runs the tests.
    func testProgram() async throws -> String {
        let log = url.deletingLastPathComponent().appendingPathComponent("path.log")
        _ = try await Child.run(
            ["swift", "build", "--package-path", url.path, "--show-bin-path"], output: log, secondsMax: 600)
        let directory = try String(contentsOf: log, encoding: .utf8).split(separator: "\n").last.map(String.init) ?? ""
        return directory + "/ShalePackageTests.xctest"
    }
}
