#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// ISO 8601, UTC, milliseconds.
func timestamp(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
}

/// The same of what stores keep.
func timestamp(milliseconds: Int64) -> String {
    timestamp(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
}
