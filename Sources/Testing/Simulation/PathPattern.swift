/// The paths to which a fault rule applies.
package enum PathPattern: Sendable, ExpressibleByStringLiteral {
    case any
    /// `*` matches any characters, including slashes; `?` matches one. The pattern matches a whole path, or the end of
    /// a path after a slash: "CURRENT", "wal/*", "*.seg".
    case glob(String)
    case predicate(@Sendable (String) -> Bool)

    package init(stringLiteral value: String) { self = .glob(value) }

    package func matches(_ path: String) -> Bool {
        switch self {
        case .any: return true
        case .predicate(let predicate): return predicate(path)
        case .glob(let pattern):
            let pattern = Array(pattern.utf8)
            let path = Array(path.utf8)
            if PathPattern.matches(pattern[...], path[...]) { return true }
            return path.indices.contains { index in
                path[index] == UInt8(ascii: "/") && PathPattern.matches(pattern[...], path[(index + 1)...])
            }
        }
    }

    private static func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        var pattern = pattern
        var text = text
        while let wanted = pattern.popFirst() {
            if wanted == UInt8(ascii: "*") {
                return (text.startIndex...text.endIndex).contains { matches(pattern, text[$0...]) }
            }
            guard let byte = text.popFirst(), wanted == UInt8(ascii: "?") || wanted == byte else { return false }
        }
        return text.isEmpty
    }
}
