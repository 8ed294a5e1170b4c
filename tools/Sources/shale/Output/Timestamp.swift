#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Formats a time as ISO 8601 in UTC, with milliseconds.
func timestamp(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
}

/// Formats a time in milliseconds, as stores keep it.
func timestamp(milliseconds: Int64) -> String {
    timestamp(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
}
