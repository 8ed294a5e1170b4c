/// The format in which a `Codable` value is stored.
public enum CodableFormat: Sendable, Hashable {
    /// JSON with sorted keys: readable everywhere, and equal values give equal bytes. NaN and infinities can't be
    /// encoded.
    case json
    /// A binary property list.
    ///
    /// Dates and data keep their types. The string `"$null"` in place of an optional decodes as `nil`, because
    /// Foundation's encoder writes `nil` that way.
    case propertyList

    var codec: ValueCodec {
        switch self {
        case .json: .json
        case .propertyList: .propertyList
        }
    }
}
