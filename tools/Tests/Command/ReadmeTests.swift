import Foundation
import Testing

@testable import ShaleCommand

@Suite struct ReadmeTests {
    private static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private var readme: String {
        get throws {
            try String(
                contentsOf: Self.package.deletingLastPathComponent().appendingPathComponent("README.md"),
                encoding: .utf8)
        }
    }

    @Test func everyExitCodeIsDocumented() throws {
        let text = try readme
        for status in [
            ExitStatus.success, .different, .corruption, .locked, .wrongKey, .inputOutput, .usage, .badInput,
        ] {
            #expect(text.contains("\n| \(status.rawValue) | "))
        }
    }
}
