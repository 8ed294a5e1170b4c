import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Translates a `#Predicate` into a ``Filter``, by walking its expression.
///
/// A part that has no translation becomes an opaque condition, which Foundation evaluates. Equality and order of texts
/// are compared bytewise in any case.
struct PredicateTranslation<Record: Codable & Sendable> {
    let variable: PredicateExpressions.Variable<Record>
    let fields: [FieldLayout]

    static func filter(_ predicate: Predicate<Record>, _ fields: [FieldLayout]) -> Filter {
        PredicateTranslation(variable: predicate.variable, fields: fields).filter(predicate.expression)
    }

    /// Returns the filter of a condition.
    func filter<Condition: PredicateExpression>(_ condition: Condition) -> Filter
    where Condition.Output == Bool {
        if let node = condition as? any ConditionExpression, let filter = node.filter(self) { return filter }
        return opaque { (bindings) in try condition.evaluate(bindings) }
    }

    func opaque(_ body: @escaping (PredicateBindings) throws -> Bool) -> Filter {
        let condition = OpaqueCondition(variable: variable, body: body)
        return .opaque { (record) in try record.with(Record.self, condition.holds) }
    }

    /// Returns what an operand of a comparison is; `nil` for anything but a field and a constant.
    func operand(_ expression: any PredicateExpression) -> PredicateOperand? {
        (expression as? any OperandExpression)?.operand(self)
    }

    /// Returns the filter of a comparison; `nil` if it does not compare a field with a constant.
    func comparison(
        _ a: any PredicateExpression, _ comparison: ComparisonOperator, _ b: any PredicateExpression
    ) -> Filter? {
        guard let a = operand(a), let b = operand(b) else { return nil }
        switch (a, b) {
        case (.field(let field, nil), .constant(let value)): return .compare(field, comparison, value)
        case (.constant(let value), .field(let field, nil)): return .compare(field, comparison.mirrored, value)
        case (.field(let field, let other?), .constant(let value)):
            return coalesced(field, other, comparison, value)
        case (.constant(let value), .field(let field, let other?)):
            return coalesced(field, other, comparison.mirrored, value)
        default: return nil
        }
    }

    /// Returns the filter of `(field ?? other) comparison value`.
    private func coalesced(
        _ field: Int, _ other: CompositeKey.Element, _ comparison: ComparisonOperator, _ value: CompositeKey.Element
    ) -> Filter {
        let ofValue: Filter = .compare(field, comparison, value)
        guard comparison.holds(other, value) else { return ofValue }
        return .or([.compare(field, .equal, .null), ofValue])
    }

    /// Returns the position of the field with a key path.
    func field(_ path: AnyKeyPath) -> Int? { CollectionLayout.position(of: path, in: fields) }
}

/// One side of a comparison.
enum PredicateOperand {
    /// A field, and the value that stands for nil.
    case field(Int, CompositeKey.Element?)
    case constant(CompositeKey.Element)
}

/// A part of a predicate.
///
/// Unchecked: a predicate is `Sendable`, and so are its parts, but their types don't say so.
private struct OpaqueCondition<Record>: @unchecked Sendable {
    let variable: PredicateExpressions.Variable<Record>
    let body: (PredicateBindings) throws -> Bool

    func holds(_ record: Record) throws -> Bool { try body(PredicateBindings((variable, record))) }
}

/// A condition that may have a translation.
private protocol ConditionExpression {
    func filter<Record>(_ scope: PredicateTranslation<Record>) -> Filter?
}

/// An operand that may be a field or a constant.
private protocol OperandExpression {
    func operand<Record>(_ scope: PredicateTranslation<Record>) -> PredicateOperand?
}

// MARK: Operands

extension PredicateExpressions.KeyPath: OperandExpression {
    fileprivate func operand<Record>(_ scope: PredicateTranslation<Record>) -> PredicateOperand? {
        guard let variable = root as? PredicateExpressions.Variable<Record>, variable.key == scope.variable.key else {
            return nil
        }
        return scope.field(keyPath).map { .field($0, nil) }
    }
}

extension PredicateExpressions.Value: OperandExpression {
    fileprivate func operand<Record>(_ scope: PredicateTranslation<Record>) -> PredicateOperand? {
        if let value = value as? any FieldValue { return .constant(value.fieldElement) }
        // The cast looks into an optional and fails for nil.
        return Output.self is any NullableOperand.Type ? .constant(.null) : nil
    }
}

/// An optional of a type that a field can have.
private protocol NullableOperand {}

extension Optional: NullableOperand where Wrapped: FieldValue {}

extension PredicateExpressions.NilLiteral: OperandExpression {
    fileprivate func operand<Record>(_ scope: PredicateTranslation<Record>) -> PredicateOperand? { .constant(.null) }
}

extension PredicateExpressions.NilCoalesce: OperandExpression {
    fileprivate func operand<Record>(_ scope: PredicateTranslation<Record>) -> PredicateOperand? {
        guard case .field(let field, nil)? = scope.operand(lhs), case .constant(let value)? = scope.operand(rhs),
            value != .null
        else { return nil }
        return .field(field, value)
    }
}

// MARK: Conditions

extension PredicateExpressions.Conjunction: ConditionExpression {
    fileprivate func filter<Record>(_ scope: PredicateTranslation<Record>) -> Filter? {
        .and([scope.filter(lhs), scope.filter(rhs)])
    }
}

extension PredicateExpressions.Disjunction: ConditionExpression {
    fileprivate func filter<Record>(_ scope: PredicateTranslation<Record>) -> Filter? {
        .or([scope.filter(lhs), scope.filter(rhs)])
    }
}

extension PredicateExpressions.Negation: ConditionExpression {
    fileprivate func filter<Record>(_ scope: PredicateTranslation<Record>) -> Filter? {
        .not(scope.filter(wrapped))
    }
}

extension PredicateExpressions.Value: ConditionExpression {
    fileprivate func filter<Record>(_ scope: PredicateTranslation<Record>) -> Filter? {
        (value as? Bool).map { .constant($0) }
    }
}

extension PredicateExpressions.KeyPath: ConditionExpression {
    fileprivate func filter<Record>(_ scope: PredicateTranslation<Record>) -> Filter? {
        guard Output.self == Bool.self, case .field(let field, nil)? = operand(scope) else { return nil }
        return .compare(field, .equal, .bool(true))
    }
}

extension PredicateExpressions.Equal: ConditionExpression {
    fileprivate func filter<Record>(_ scope: PredicateTranslation<Record>) -> Filter? {
        if let filter = scope.comparison(lhs, .equal, rhs) { return filter }
        return scope.opaque { bindings in
            let (a, b) = (try lhs.evaluate(bindings), try rhs.evaluate(bindings))
            guard let left = a as? String, let right = b as? String else { return a == b }
            return FieldOrder.isEqual(left, right)
        }
    }
}

extension PredicateExpressions.NotEqual: ConditionExpression {
    fileprivate func filter<Record>(_ scope: PredicateTranslation<Record>) -> Filter? {
        if let filter = scope.comparison(lhs, .equal, rhs) { return .not(filter) }
        return scope.opaque { bindings in
            let (a, b) = (try lhs.evaluate(bindings), try rhs.evaluate(bindings))
            guard let left = a as? String, let right = b as? String else { return a != b }
            return !FieldOrder.isEqual(left, right)
        }
    }
}

extension PredicateExpressions.Comparison: ConditionExpression {
    fileprivate func filter<Record>(_ scope: PredicateTranslation<Record>) -> Filter? {
        guard let comparison = comparison else { return nil }
        if let filter = scope.comparison(lhs, comparison, rhs) { return filter }
        return scope.opaque { bindings in
            let (a, b) = (try lhs.evaluate(bindings), try rhs.evaluate(bindings))
            guard let left = a as? String, let right = b as? String else { return try evaluate(bindings) }
            return comparison.holds(.string(left), .string(right))
        }
    }

    private var comparison: ComparisonOperator? {
        switch op {
        case .lessThan: .less
        case .lessThanOrEqual: .lessOrEqual
        case .greaterThan: .greater
        case .greaterThanOrEqual: .greaterOrEqual
        @unknown default: nil
        }
    }
}

extension PredicateExpressions.SequenceContains: ConditionExpression {
    fileprivate func filter<Record>(_ scope: PredicateTranslation<Record>) -> Filter? {
        if case .field(let field, nil)? = scope.operand(element),
            let list = sequence as? PredicateExpressions.Value<LHS.Output>
        {
            let values = list.value.compactMap { ($0 as? any FieldValue)?.fieldElement }
            if values.count == Array(list.value).count { return .oneOf(field, values) }
        }
        return scope.opaque { bindings in
            let (list, wanted) = (try sequence.evaluate(bindings), try element.evaluate(bindings))
            guard let text = wanted as? String else { return list.contains(wanted) }
            return list.contains { ($0 as? String).map { FieldOrder.isEqual($0, text) } ?? false }
        }
    }
}

extension PredicateExpressions.SequenceStartsWith: ConditionExpression {
    fileprivate func filter<Record>(_ scope: PredicateTranslation<Record>) -> Filter? {
        if case .field(let field, nil)? = scope.operand(base),
            case .constant(.string(let text))? = scope.operand(prefix)
        {
            return .prefix(field, Array(text.utf8))
        }
        return scope.opaque { bindings in
            let (whole, start) = (try base.evaluate(bindings), try prefix.evaluate(bindings))
            guard let text = whole as? String, let start = start as? String else { return try evaluate(bindings) }
            return text.utf8.starts(with: start.utf8)
        }
    }
}

extension PredicateExpressions.RangeExpressionContains: ConditionExpression {
    fileprivate func filter<Record>(_ scope: PredicateTranslation<Record>) -> Filter? {
        guard let bounds = (range as? any RangeOperand)?.bounds,
            let lower = scope.comparison(element, .greaterOrEqual, bounds.lower),
            let upper = scope.comparison(element, bounds.isClosed ? .lessOrEqual : .less, bounds.upper)
        else { return nil }
        return .and([lower, upper])
    }
}

/// A range with bounds that are expressions.
private protocol RangeOperand {
    var bounds: (lower: any PredicateExpression, upper: any PredicateExpression, isClosed: Bool) { get }
}

extension PredicateExpressions.ClosedRange: RangeOperand {
    fileprivate var bounds: (lower: any PredicateExpression, upper: any PredicateExpression, isClosed: Bool) {
        (lower, upper, true)
    }
}

extension PredicateExpressions.Range: RangeOperand {
    fileprivate var bounds: (lower: any PredicateExpression, upper: any PredicateExpression, isClosed: Bool) {
        (lower, upper, false)
    }
}
