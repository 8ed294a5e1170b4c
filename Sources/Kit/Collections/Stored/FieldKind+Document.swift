import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension FieldKind {
    /// Returns the value of a member of a document as the value of a field of this kind; `nil` if it is of another
    /// kind.
    ///
    /// JSON has no dates, bytes and UUIDs. `Codable` writes them there as seconds since 2001, as base64 or an array of
    /// numbers, and as text. A number of the other kind counts if nothing is lost, as for typed values: a whole real as
    /// an integer, and an integer that a `Double` holds as a real.
    func element(of value: StructuredValue) -> CompositeKey.Element? {
        switch (self, value) {
        case (_, .null): .null
        case (.integer, .int(let number)): .int(number)
        case (.integer, .unsigned(let number)): Int64(exactly: number).map { .int($0) } ?? .unsigned(number)
        case (.integer, .double(let number)):
            Int64(exactly: number).map { .int($0) } ?? UInt64(exactly: number).map { .unsigned($0) }
        case (.text, .string(let text)): .string(text)
        case (.real, .double(let number)): .double(number)
        case (.real, .int(let number)): Double(exactly: number).map { .double($0) }
        case (.real, .unsigned(let number)): Double(exactly: number).map { .double($0) }
        case (.boolean, .bool(let flag)): .bool(flag)
        case (.uuid, .string(let text)): UUID(uuidString: text).map { .uuid($0) }
        case (.date, _): FieldKind.date(value).map { .date($0) }
        case (.binary, _): FieldKind.bytes(value).map { .bytes($0) }
        default: nil
        }
    }

    private static func date(_ value: StructuredValue) -> Date? {
        let seconds: Double?
        switch value {
        case .date(let date): seconds = date.timeIntervalSinceReferenceDate
        case .double(let number): seconds = number
        case .int(let number): seconds = Double(exactly: number)
        default: return nil
        }
        guard let seconds, !seconds.isNaN else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    private static func bytes(_ value: StructuredValue) -> [UInt8]? {
        switch value {
        case .data(let data): return [UInt8](data)
        case .string(let text): return Data(base64Encoded: text).map { [UInt8]($0) }
        case .array(let elements):
            let bytes = elements.compactMap { (element) -> UInt8? in
                guard case .int(let number) = element else { return nil }
                return UInt8(exactly: number)
            }
            return bytes.count == elements.count ? bytes : nil
        default: return nil
        }
    }
}

extension [UInt8] {
    var data: Data { Data(self) }
}
