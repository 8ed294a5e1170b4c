import Foundation
import TestSupport
import Testing

/// Specification.md names tests for every capability and for every clause of the contract, and all of them exist.
@Suite struct SpecificationTests {
    private static let declared: Result<DeclaredTests, any Error> = Result {
        var declared = DeclaredTests()
        for folder in ["Tests", "tools/Tests", "tools/SyncServer/Tests"] {
            for path in try Repository.files(in: folder) where path.hasSuffix(".swift") {
                declared.read(try Repository.read(path))
            }
        }
        return declared
    }

    private static func rows(_ section: String) throws -> [Row] {
        Row.all(in: try Repository.read("Tests/Specification.md"), section: section)
    }

    @Test(arguments: ["Capabilities", "Contract"]) func everyNamedTestExists(_ section: String) throws {
        let declared = try Self.declared.get()
        for row in try Self.rows(section) {
            for name in row.tests {
                #expect(declared.has(name), "\(row.id): \(name) is no suite, or no test of one")
            }
        }
    }

    @Test(arguments: ["Capabilities", "Contract"]) func everyRowHasTests(_ section: String) throws {
        let rows = try Self.rows(section)
        for row in rows { #expect(!row.tests.isEmpty, "\(row.id) has no test") }
        #expect(Set(rows.map(\.id)).count == rows.count, "an id occurs twice")
        #expect(rows.count >= 40)
    }

    @Test(arguments: ["RFC 9111", "RFC 5861, 8246 and 9211"])
    func everyRequirementOfTheCacheHasTests(_ section: String) throws {
        let article = "Sources/Kit/HTTP/ShaleHTTP.docc/CacheRequirements.md"
        let rows = Row.all(in: try Repository.read(article), section: section)
        let declared = try Self.declared.get()
        #expect(rows.count >= 4 && Set(rows.map(\.id)).count == rows.count)
        for row in rows {
            #expect(!row.tests.isEmpty, "\(row.id) has no test")
            for name in row.tests { #expect(declared.has(name), "\(row.id): \(name) is no suite, or no test of one") }
        }
    }

    @Test func everyClauseOfTheContractHasARow() throws {
        let design = try Repository.read("DESIGN.md").components(separatedBy: "\n")
        let contract = design.drop { !$0.hasSuffix(". Contract") }.dropFirst().prefix { !$0.hasPrefix("## ") }
        let clauses = contract.compactMap { line in
            Row.cells(line).flatMap { $0[0].firstMatch(of: /^[A-Z]-[0-9a-z]+$/).map { String($0.output) } }
        }
        #expect(try Self.rows("Contract").map(\.id) == clauses)
        Ring.covered(clauses.count, "clauses of the contract with tests")
    }

    @Test func everySuiteHasANameOfItsOwn() throws {
        let repeated = try Self.declared.get().suites.filter { $0.value > 1 }.keys.sorted()
        #expect(repeated == [])
    }

    @Test func missingAndRepeatedNamesAreNoticed() {
        var declared = DeclaredTests()
        declared.read(
            "@Suite struct A\("Tests") {\n    @Test(arguments: [1])\n    func one(_ n: Int) {}\n    func two() {}\n}")
        declared.read("// class A\("Tests")\nfinal class B\("Tests"): Base {}")
        #expect(declared.has("ATests") && declared.has("ATests/one"))
        #expect(!declared.has("ATests/two") && !declared.has("one") && !declared.has("BTests"))
        #expect(declared.suites == ["ATests": 1, "BTests": 1])
        let rows = Row.all(
            in: "## X\n| Y | no |\n## Z\n| id | tests |\n|---|---|\n| Y1 | words |\n| | `A` `b` |\n| Y2 | `B/c` |",
            section: "Z")
        #expect(rows.map(\.id) == ["Y1", "Y2"])
        #expect(rows.map(\.tests) == [["A", "b"], ["B/c"]])
    }
}

/// A row of a table in Specification.md, with the rows that continue it.
private struct Row {
    let id: String
    var tests: [String] = []

    /// Returns the rows below the heading `## section`.
    static func all(in document: String, section: String) -> [Row] {
        var rows: [Row] = []
        var isInside = false
        for line in document.components(separatedBy: "\n") {
            if line.hasPrefix("## ") { isInside = line == "## " + section }
            guard isInside, let cells = cells(line), !["id", "clause", "---"].contains(cells[0]) else { continue }
            if !cells[0].isEmpty { rows.append(Row(id: cells[0])) }
            guard !rows.isEmpty else { continue }
            let words = cells[1].components(separatedBy: " ")
            // A promise may quote code in its text; the lines of names hold nothing else.
            if words.allSatisfy({ $0.count > 2 && $0.hasPrefix("`") && $0.hasSuffix("`") }) {
                rows[rows.count - 1].tests += words.map { String($0.dropFirst().dropLast()) }
            }
        }
        return rows
    }

    /// Returns the cells of a line of a table; `nil` for other lines.
    static func cells(_ line: String) -> [String]? {
        guard line.hasPrefix("|"), line.hasSuffix("|") else { return nil }
        let cells = line.components(separatedBy: "|").dropFirst().dropLast()
        return cells.count < 2 ? nil : cells.map { $0.trimmingCharacters(in: .whitespaces) }
    }
}

/// The suites and tests that Swift sources declare.
private struct DeclaredTests {
    /// The number of declarations of each suite.
    private(set) var suites: [String: Int] = [:]
    /// `Suite`, if the suite has tests, and `Suite/test`.
    private var names: Set<String> = []

    func has(_ name: String) -> Bool { names.contains(name) }

    mutating func read(_ source: String) {
        var suite: String?
        var isTest = false
        for line in source.split(separator: "\n") {
            let line = line.drop { $0 == " " }
            guard !line.hasPrefix("//") else { continue }
            if let match = line.firstMatch(of: /\b(?:struct|class) (\w+(?:Tests|Samples))\b/) {
                suite = String(match.output.1)
                suites[String(match.output.1), default: 0] += 1
            }
            if let match = line.firstMatch(of: /^extension (\w+Tests)\b/) { suite = String(match.output.1) }
            if line.hasPrefix("@Test") { isTest = true }
            guard isTest, let suite, let match = line.firstMatch(of: /\bfunc (\w+)/) else { continue }
            names.formUnion([suite, "\(suite)/\(match.output.1)"])
            isTest = false
        }
    }
}

/// The files of the repository that these tests belong to.
enum Repository {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the paths of all files below `folder`, which are relative to the repository.
    static func files(in folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.path + "/" + folder).sorted().map { folder + "/" + $0 }
    }

    static func read(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }
}
