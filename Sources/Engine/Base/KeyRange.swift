/// A range of keys in bytewise order.
///
/// Either end may be open.
public struct KeyRange: Sendable, Equatable {
    public enum Bound: Sendable, Equatable {
        case unbounded
        case included([UInt8])
        case excluded([UInt8])
    }

    public let lower: Bound
    public let upper: Bound

    public init(lower: Bound, upper: Bound) {
        self.lower = lower
        self.upper = upper
    }

    /// The range of all keys.
    public static let all = KeyRange(lower: .unbounded, upper: .unbounded)

    /// Returns the range of all keys that start with `prefix`.
    public static func prefix(_ prefix: [UInt8]) -> KeyRange {
        guard let end = KeyRange.successor(ofPrefix: prefix) else {
            return KeyRange(lower: .included(prefix), upper: .unbounded)
        }
        return KeyRange(lower: .included(prefix), upper: .excluded(end))
    }

    /// Returns the smallest key above every key that starts with `prefix`; `nil` if there is none (an empty prefix, or
    /// one of 0xff only).
    public static func successor(ofPrefix prefix: [UInt8]) -> [UInt8]? {
        var end = prefix
        while let last = end.last {
            if last < 0xff {
                end[end.count - 1] = last + 1
                return end
            }
            end.removeLast()
        }
        return nil
    }
}
