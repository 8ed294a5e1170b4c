import Foundation
import Testing

@testable import Mutate

/// Many mutations in one file, drawn by a seed, and the compiler's errors traced back to them.
@Suite struct RewriterTests {
    private static let source = Array(
        """
        import ShaleBase

        func f() {
            a()
            b()
            if c < d { x = 1 }
        }

        """.utf8)

    private static let mutations = MutationFinder.mutations(in: source, path: "Sources/a.swift")

    @Test func aSeedDrawsTheSameMutationsAgain() {
        var (one, same, other) = (
            Draw(seed: 1, area: "a"), Draw(seed: 1, area: "a"), Draw(seed: 2, area: "a")
        )
        let first = one.take(4, of: Self.mutations).map(\.change)
        #expect(same.take(4, of: Self.mutations).map(\.change) == first)
        #expect((0..<8).contains { _ in other.take(4, of: Self.mutations).map(\.change) != first })
    }

    @Test func drawnMutationsDoNotOverlap() {
        for seed in 0..<50 {
            var draw = Draw(seed: UInt64(seed), area: "a")
            let taken = draw.take(100, of: Self.mutations).sorted { $0.range.lowerBound < $1.range.lowerBound }
            for (one, next) in zip(taken, taken.dropFirst()) { #expect(one.range.upperBound <= next.range.lowerBound) }
        }
    }

    @Test func withoutAMutationNothingChanges() {
        let (same, places) = Rewriter.rewrite(Self.source, [])
        #expect(same == Self.source && places.isEmpty)
    }

    @Test func anErrorBelongsToTheMutationInItsLineOrTheNearest() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("shale-mutate-" + UUID().uuidString)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: root) } }
        try FileManager.default.createDirectory(
            at: root.appendingPathComponent("Sources"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            at: root.appendingPathComponent("Tests"), withIntermediateDirectories: true)
        try Data(Self.source).write(to: root.appendingPathComponent("Sources/a.swift"))
        try Data("let package = 1\n".utf8).write(to: root.appendingPathComponent("Package.swift"))
        let exchange = try #require(Self.mutations.first { $0.kind == .exchange })
        let comparison = try #require(Self.mutations.first { $0.kind == .comparison })
        let tree = Tree(root: root, url: root.appendingPathComponent("tree"))
        try tree.write([(1, exchange), (2, comparison)])
        // The exchanged calls take the lines 4 to 10.
        let text = try String(contentsOf: tree.url.appendingPathComponent("Sources/a.swift"), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[10].contains("PlantedMutation.isActive(2)"))
        func refused(_ line: Int) -> Set<Int> { tree.refused(in: "/x/Sources/a.swift:\(line):9: error: no") }
        #expect(refused(6) == [1] && refused(11) == [2] && refused(13) == [2] && refused(1) == [1])
        #expect(tree.refused(in: "/x/Sources/b.swift:1:1: error: no\n/x/Sources/a.swift:4:1: warning: no").isEmpty)
    }

    @Test func theFirstFailureIsNamedWithItsFile() {
        let output = """
            ◇ Test other() started.
            ✘ Test aName(_:) recorded an issue with 1 argument x → 1 at SomeTests.swift:12:9: Expectation failed
            ✘ Test later() recorded an issue at OtherTests.swift:1:1: no
            """
        #expect(TestRun.failure(in: output) == "SomeTests/aName")
        #expect(TestRun.failure(in: "✘ Test a() recorded a known issue at A.swift:1:1: no") == nil)
    }

    @Test func areasAndEquivalentsAreRead() throws {
        let areas = try Area.parse("# what\ntests Last\narea a\nfiles A/ b.swift\ntests First\narea b\nfiles c.swift\n")
        #expect(
            areas == [
                Area(name: "a", files: ["A/", "b.swift"], filters: ["First", "Last"]),
                Area(name: "b", files: ["c.swift"], filters: ["Last"]),
            ])
        #expect(throws: MutateError.self) { try Area.parse("files A/\n") }
        let comparison = try #require(Self.mutations.first { $0.kind == .comparison })
        let known = try Equivalents(
            "# why\n\nSources/a.swift\n> if c < d { x = 1 }\n- \(comparison.change)\nNobody\nsees it.\n")
        #expect(known.reason(comparison) == "Nobody sees it.")
        #expect(known.reason(Self.mutations[0]) == nil)
        #expect(throws: MutateError.self) { try Equivalents("Sources/a.swift\n> if c\n") }
    }
}
