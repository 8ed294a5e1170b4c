/// A field's value in the model: exact, unlike `==` of texts and of doubles.
enum Cell: Hashable, Sendable {
    case null
    case integer(Int64)
    case unsigned(UInt64)
    case text([UInt8])
    case real(UInt64)
    case bytes([UInt8])
    case flag(Bool)
    case day(UInt64)
    case mark([UInt8])

    init(_ value: Double) { self = .real(value.isNaN ? Double.nan.bitPattern : value.bitPattern) }

    private var number: Double? {
        switch self {
        case .real(let bits), .day(let bits): Double(bitPattern: bits)
        default: nil
        }
    }

    private var isNaN: Bool { number?.isNaN ?? false }

    /// True if a condition `a == b` holds.
    static func isEqual(_ a: Cell, _ b: Cell) -> Bool {
        guard let left = a.number, let right = b.number else { return a == b }
        return left == right
    }

    /// True if a unique index takes only one of both.
    static func isSame(_ a: Cell, _ b: Cell) -> Bool { isEqual(a, b) || (a.isNaN && b.isNaN) }

    /// True if a condition `a < b` holds.
    static func isLess(_ a: Cell, _ b: Cell) -> Bool {
        if a == .null || b == .null || a.isNaN || b.isNaN { return false }
        return order(a, b) < 0
    }

    /// The order of records: nil first, NaN last. Negative if `a` comes first, 0 if both are equal.
    static func order(_ a: Cell, _ b: Cell) -> Int {
        switch (a, b) {
        case (.null, .null): return 0
        case (.null, _): return -1
        case (_, .null): return 1
        case (.integer(let a), .integer(let b)): return a == b ? 0 : a < b ? -1 : 1
        case (.unsigned(let a), .unsigned(let b)): return a == b ? 0 : a < b ? -1 : 1
        case (.flag(let a), .flag(let b)): return a == b ? 0 : b ? -1 : 1
        case (.text(let a), .text(let b)), (.bytes(let a), .bytes(let b)), (.mark(let a), .mark(let b)):
            return a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
        default:
            guard let left = a.number, let right = b.number else { return 0 }
            if a.isNaN || b.isNaN { return a.isNaN == b.isNaN ? 0 : b.isNaN ? -1 : 1 }
            return left == right ? 0 : left < right ? -1 : 1
        }
    }
}
