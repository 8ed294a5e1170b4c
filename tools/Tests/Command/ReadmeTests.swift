import Foundation
import Shale
import Testing

@testable import ShaleCommand

@Suite struct ReadmeTests {
    // README.md shows this declaration and function, letter for letter.
    struct Order: Codable { var item: String, count: Int }

    func example(directory: String) throws -> Int {
        let store = try Store(at: directory)
        let orders = store.common["orders"]
        try orders.set(Order(item: "tea", count: 2), forKey: "2026-0001")
        try store.user("u1")["drafts"].set("note", forKey: "d1", [.purgeable, .expires(after: .days(7))])
        try store.write(durability: .synced) { (batch) throws(StorageError) in
            try batch.set(Order(item: "salt", count: 1), forKey: "2026-0002", in: orders)
            try batch.set(2, forKey: "orders", in: store.common["counters"])
        }
        for entry in orders.entries(prefix: "2026-") { print(try entry.get().key) }
        let order = try orders.value(forKey: "2026-0001", as: Order.self)
        try store.close()
        return order?.count ?? 0
    }

    private static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private var readme: String {
        get throws {
            try String(
                contentsOf: Self.package.deletingLastPathComponent().appendingPathComponent("README.md"),
                encoding: .utf8)
        }
    }

    @Test func `the example does what it shows`() throws {
        let sandbox = try Sandbox()
        #expect(try example(directory: sandbox.store) == 2)
    }

    @Test func `the example is the one that is compiled here`() throws {
        let parts = try readme.components(separatedBy: "```swift\n")
        // The first one; others are compiled where what they show is built.
        let block = try #require(parts.dropFirst().first?.components(separatedBy: "```").first)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        for line in block.split(separator: "\n") where !line.hasPrefix("import") {
            #expect(source.contains("    \(line)\n"), "\(line)")
        }
    }

    @Test func `every exit code is documented`() throws {
        let text = try readme
        for status in [
            ExitStatus.success, .different, .corruption, .locked, .wrongKey, .inputOutput, .usage, .badInput,
        ] {
            #expect(text.contains("\n| \(status.rawValue) | "))
        }
    }
}
