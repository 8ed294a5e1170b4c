#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension StructuredValue {
    /// The number of bytes of the strings and data in the tree, including names of members.
    var contentBytes: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let data): data.count
        case .array(let elements): elements.reduce(0) { $0 + $1.contentBytes }
        case .dictionary(let members): members.reduce(0) { $0 + $1.key.utf8.count + $1.value.contentBytes }
        case .null, .bool, .int, .unsigned, .double, .date: 0
        }
    }
}
