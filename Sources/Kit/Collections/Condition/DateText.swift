#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Dates as text: ISO 8601.
package enum DateText {
    private static let dayBytes = 10

    /// Returns the time of a text such as `2026-01-31`, which is UTC, `2026-01-31T12:00:00Z` or
    /// `2026-01-31T12:00:00.250Z`; `nil` for any other text.
    package static func date(_ text: String) -> Date? {
        let day = Date.ISO8601FormatStyle().year().month().day()
        guard text.utf8.count != dayBytes else { return parsed(text, day) }
        // Foundation parses a beginning, so the end is checked here. Z is only there.
        let bytes = Array(text.utf8)
        let isWhole = bytes.dropLast().allSatisfy { isPart($0) } && bytes.last.map { isPart($0) || $0 == 0x5a } == true
        guard isWhole, bytes.count > dayBytes else { return nil }
        return parsed(text, Date.ISO8601FormatStyle())
            ?? parsed(text, Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// True for digits and the signs between them, of which `T` begins the time.
    private static func isPart(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || "-:.+T".utf8.contains(byte)
    }

    /// A text that does not fit a style is a normal result: another style may fit.
    private static func parsed(_ text: String, _ style: Date.ISO8601FormatStyle) -> Date? { try? style.parse(text) }
}
