/// In which format a `Codable` value is stored.
public enum CodableFormat: Sendable, Hashable {
    /// A JSON text with sorted keys: readable everywhere, equal values give equal bytes. Refuses NaN and infinities.
    case json
    /// A binary property list. Keeps dates and data as such. The string `"$null"` in the place of an optional reads back
    /// as `nil`: a trait of Foundation's encoder.
    case propertyList

    var codec: ValueCodec {
        switch self {
        case .json: .json
        case .propertyList: .propertyList
        }
    }
}
