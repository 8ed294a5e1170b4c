import ShalePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A condition as a predicate and as a function of the model.
struct DrawnCondition {
    typealias Expression = any StandardPredicateExpression<Bool>

    let expression: Expression
    let holds: ([Cell]) -> Bool
    let text: String
}

/// Draws predicates as trees of comparisons of the fields of a schema.
struct ConditionSource {
    typealias Variable = PredicateExpressions.Variable<Specimen>

    let random: SeededRandom
    let values: SpecimenValues
    let fields: [Int]

    /// Returns a predicate, its meaning, and a description.
    func predicate() -> (Predicate<Specimen>, ([Cell]) -> Bool, String) {
        var drawn: DrawnCondition?
        let predicate = Predicate<Specimen> { variable in
            let condition = condition(variable, depth: random.below(3))
            drawn = condition
            return condition.expression
        }
        guard let drawn else { preconditionFailure("a predicate is built at once") }
        return (predicate, drawn.holds, drawn.text)
    }

    private func condition(_ variable: Variable, depth: Int) -> DrawnCondition {
        guard depth > 0 else { return leaf(variable) }
        let a = condition(variable, depth: depth - 1)
        let kind = random.below(10)
        if kind == 9 { return ConditionSource.not(a.expression, a) }
        let b = condition(variable, depth: depth - 1)
        return kind < 6 ? ConditionSource.and(a.expression, b.expression, a, b) : either(a, b)
    }

    private func either(_ a: DrawnCondition, _ b: DrawnCondition) -> DrawnCondition {
        ConditionSource.or(a.expression, b.expression, a, b)
    }

    private static func and(
        _ x: some StandardPredicateExpression<Bool>, _ y: some StandardPredicateExpression<Bool>, _ a: DrawnCondition,
        _ b: DrawnCondition
    ) -> DrawnCondition {
        DrawnCondition(
            expression: PredicateExpressions.build_Conjunction(lhs: x, rhs: y),
            holds: { a.holds($0) && b.holds($0) }, text: "(\(a.text) && \(b.text))")
    }

    private static func or(
        _ x: some StandardPredicateExpression<Bool>, _ y: some StandardPredicateExpression<Bool>, _ a: DrawnCondition,
        _ b: DrawnCondition
    ) -> DrawnCondition {
        DrawnCondition(
            expression: PredicateExpressions.build_Disjunction(lhs: x, rhs: y),
            holds: { a.holds($0) || b.holds($0) }, text: "(\(a.text) || \(b.text))")
    }

    private static func not(_ x: some StandardPredicateExpression<Bool>, _ a: DrawnCondition) -> DrawnCondition {
        DrawnCondition(
            expression: PredicateExpressions.build_Negation(x), holds: { !a.holds($0) }, text: "!\(a.text)")
    }

    // MARK: Comparisons of a field

    private func leaf(_ variable: Variable) -> DrawnCondition {
        let field = fields[random.below(fields.count)]
        switch field {
        case SpecimenField.id: return number(variable)
        case SpecimenField.code: return code(variable)
        case SpecimenField.integer:
            return ordered(variable, \.integer, field, values.integer(), other: 1) { .integer(Int64($0)) }
        case SpecimenField.unsigned:
            return ordered(variable, \.unsigned, field, values.unsigned(), other: 2) { .unsigned($0) }
        case SpecimenField.text:
            if random.below(8) == 0, fields.contains(SpecimenField.note) { return texts(variable) }
            return ordered(variable, \.text, field, values.text(), other: "a") { .text(Array($0.utf8)) }
        case SpecimenField.note:
            return ordered(variable, \.note, field, values.text(), other: "é") { .text(Array($0.utf8)) }
        case SpecimenField.real: return ordered(variable, \.real, field, values.real(), other: 0) { Cell($0) }
        case SpecimenField.small:
            return ordered(variable, \.small, field, values.small(), other: 1) { Cell(Double($0)) }
        case SpecimenField.day:
            let zero = Date(timeIntervalSinceReferenceDate: 0)
            return ordered(variable, \.day, field, values.day(), other: zero) {
                .day($0.timeIntervalSinceReferenceDate.bitPattern)
            }
        case SpecimenField.blob: return equal(variable, \.blob, field, values.blob()) { .bytes($0) }
        case SpecimenField.flag: return equal(variable, \.flag, field, values.flag()) { .flag($0) }
        default:
            return equal(variable, \.mark, field, values.mark()) { mark in
                Specimen(mark: mark).cells[SpecimenField.mark]
            }
        }
    }

    /// Equality, inequality, nil and membership.
    private func equal<Value: Codable & Hashable & Sendable>(
        _ variable: Variable, _ path: any KeyPath<Specimen, Value?> & Sendable, _ field: Int, _ value: Value?,
        _ cell: @escaping (Value) -> Cell
    ) -> DrawnCondition {
        let name = SpecimenField.all[field].name
        let left = PredicateExpressions.build_KeyPath(root: variable, keyPath: path)
        let wanted = value.map(cell) ?? .null
        let constant = PredicateExpressions.build_Arg(value)
        switch random.below(6) {
        case 0:
            return DrawnCondition(
                expression: PredicateExpressions.build_NotEqual(lhs: left, rhs: constant),
                holds: { !Cell.isEqual($0[field], wanted) }, text: "\(name) != \(wanted)")
        case 1:
            let list = [value, nil].filter { _ in random.below(2) == 0 } + [value]
            let cells = list.map { $0.map(cell) ?? .null }
            return DrawnCondition(
                expression: PredicateExpressions.build_contains(PredicateExpressions.build_Arg(list), left),
                holds: { record in cells.contains { Cell.isEqual($0, record[field]) } }, text: "\(cells) has \(name)")
        case 2:
            return DrawnCondition(
                expression: PredicateExpressions.build_NotEqual(
                    lhs: left, rhs: PredicateExpressions.NilLiteral<Value>()),
                holds: { $0[field] != .null }, text: "\(name) != nil")
        default:
            return DrawnCondition(
                expression: PredicateExpressions.build_Equal(lhs: left, rhs: constant),
                holds: { Cell.isEqual($0[field], wanted) }, text: "\(name) == \(wanted)")
        }
    }

    /// The same and `(field ?? other) < value` with all operators.
    private func ordered<Value: Codable & Hashable & Comparable & Sendable>(
        _ variable: Variable, _ path: any KeyPath<Specimen, Value?> & Sendable, _ field: Int, _ value: Value?,
        other: Value, _ cell: @escaping (Value) -> Cell
    ) -> DrawnCondition {
        guard let value, random.below(2) == 0 else { return equal(variable, path, field, value, cell) }
        let left = PredicateExpressions.build_NilCoalesce(
            lhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: path),
            rhs: PredicateExpressions.build_Arg(other))
        let (wanted, standIn) = (cell(value), cell(other))
        let number = random.below(4)
        return DrawnCondition(
            expression: PredicateExpressions.build_Comparison(
                lhs: left, rhs: PredicateExpressions.build_Arg(value),
                op: [.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual][number]),
            holds: { ConditionSource.compare($0[field] == .null ? standIn : $0[field], wanted, number) },
            text: "(\(SpecimenField.all[field].name) ?? \(standIn)) \(["<", "<=", ">", ">="][number]) \(wanted)")
    }

    private static func compare(_ a: Cell, _ b: Cell, _ number: Int) -> Bool {
        switch number {
        case 0: Cell.isLess(a, b)
        case 1: Cell.isLess(a, b) || Cell.isEqual(a, b)
        case 2: Cell.isLess(b, a)
        default: Cell.isLess(b, a) || Cell.isEqual(a, b)
        }
    }

    /// A condition on the number, which is never nil.
    private func number(_ variable: Variable) -> DrawnCondition {
        let left = PredicateExpressions.build_KeyPath(root: variable, keyPath: \Specimen.id)
        let (value, end) = (values.id(), values.id())
        if random.below(3) == 0, value <= end {
            return DrawnCondition(
                expression: PredicateExpressions.build_contains(
                    PredicateExpressions.build_ClosedRange(
                        lower: PredicateExpressions.build_Arg(value), upper: PredicateExpressions.build_Arg(end)),
                    left),
                holds: { !Cell.isLess($0[0], .integer(Int64(value))) && !Cell.isLess(.integer(Int64(end)), $0[0]) },
                text: "id in \(value)...\(end)")
        }
        let number = random.below(4)
        return DrawnCondition(
            expression: PredicateExpressions.build_Comparison(
                lhs: PredicateExpressions.build_Arg(value), rhs: left,
                op: [.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual][number]),
            holds: { ConditionSource.compare(.integer(Int64(value)), $0[0], number) },
            text: "\(value) \(["<", "<=", ">", ">="][number]) id")
    }

    /// A condition on the code, which is never nil: a prefix, or equality.
    private func code(_ variable: Variable) -> DrawnCondition {
        let left = PredicateExpressions.build_KeyPath(root: variable, keyPath: \Specimen.code)
        let whole = values.code()
        guard random.below(2) == 0 else {
            let wanted = Cell.text(Array(whole.utf8))
            return DrawnCondition(
                expression: PredicateExpressions.build_Equal(lhs: left, rhs: PredicateExpressions.build_Arg(whole)),
                holds: { Cell.isEqual($0[1], wanted) }, text: "code == \(wanted)")
        }
        let start = String(whole.prefix(1 + random.below(2)))
        let bytes = Array(start.utf8)
        return DrawnCondition(
            expression: PredicateExpressions.build_starts(left, with: PredicateExpressions.build_Arg(start)),
            holds: { if case .text(let text) = $0[1] { text.starts(with: bytes) } else { false } },
            text: "code starts with \(bytes)")
    }

    /// A comparison of two fields, which no index serves.
    private func texts(_ variable: Variable) -> DrawnCondition {
        DrawnCondition(
            expression: PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: \Specimen.text),
                rhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: \Specimen.note)),
            holds: { Cell.isEqual($0[SpecimenField.text], $0[SpecimenField.note]) }, text: "text == note")
    }
}
