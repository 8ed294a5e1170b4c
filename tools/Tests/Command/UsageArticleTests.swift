import Foundation
import Testing

@testable import ShaleCommand

/// ShaleInspection.docc, "Using the command".
@Suite struct UsageArticleTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private var article: String {
        get throws {
            let path = "Sources/Engine/Inspection/ShaleInspection.docc/UsingTheCommand.md"
            return try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
        }
    }

    @Test func everyExitCodeIsDocumented() throws {
        let text = try article
        for status in [
            ExitStatus.success, .different, .corruption, .locked, .wrongKey, .inputOutput, .usage, .badInput,
        ] {
            #expect(text.contains("\n| \(status.rawValue) | "))
        }
    }
}
