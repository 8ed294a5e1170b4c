import Shale
import ShaleBase

/// An operator between a field and a value.
package enum ComparisonOperator: String, Sendable {
    case equal = "=="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="

    /// The operator with its sides exchanged.
    var mirrored: ComparisonOperator {
        switch self {
        case .equal: .equal
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }

    func holds(_ a: CompositeKey.Element, _ b: CompositeKey.Element) -> Bool {
        switch self {
        case .equal: FieldOrder.isEqual(a, b)
        case .less: FieldOrder.isLess(a, b)
        case .greater: FieldOrder.isLess(b, a)
        case .lessOrEqual: FieldOrder.isLess(a, b) || (a != .null && FieldOrder.isEqual(a, b))
        case .greaterOrEqual: FieldOrder.isLess(b, a) || (a != .null && FieldOrder.isEqual(a, b))
        }
    }
}

/// A condition on records, in a form from which indexes can be selected. Fields are positions in the schema.
indirect enum Filter: Sendable {
    case constant(Bool)
    case and([Filter])
    case or([Filter])
    case not(Filter)
    case compare(Int, ComparisonOperator, CompositeKey.Element)
    case oneOf(Int, [CompositeKey.Element])
    /// The text begins with these bytes.
    case prefix(Int, [UInt8])
    /// A condition that no index can serve.
    case opaque(@Sendable (RecordAddress) throws -> Bool)

    func matches(_ record: RecordAddress, _ fields: [FieldLayout]) throws(StorageError) -> Bool {
        switch self {
        case .constant(let value): return value
        case .and(let parts):
            for part in parts where !(try part.matches(record, fields)) { return false }
            return true
        case .or(let parts):
            for part in parts where try part.matches(record, fields) { return true }
            return false
        case .not(let part): return !(try part.matches(record, fields))
        case .compare(let field, let comparison, let value):
            return comparison.holds(fields[field].element(record), value)
        case .oneOf(let field, let values):
            let element = fields[field].element(record)
            return values.contains { FieldOrder.isEqual($0, element) }
        case .prefix(let field, let prefix):
            guard case .string(let text) = fields[field].element(record) else { return false }
            return text.utf8.starts(with: prefix)
        case .opaque(let condition):
            do {
                return try condition(record)
            } catch {
                throw error as? StorageError
                    ?? StorageError(.invalidArgument, "a condition can't be evaluated", cause: error)
            }
        }
    }

    /// The conditions that all must hold, without nested conjunctions.
    var conjuncts: [Filter] {
        switch self {
        case .and(let parts): parts.flatMap(\.conjuncts)
        case .constant(true): []
        default: [self]
        }
    }
}
