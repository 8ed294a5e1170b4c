public import ShaleBase

/// A mistake in the text of a condition or of an order.
public struct ConditionMistake: Error, Hashable, Sendable {
    /// The number of characters before the mistake.
    public let offset: Int
    /// The problem, without its place.
    public let problem: String

    /// Runs `body`, and throws its mistake as `.invalidArgument` with the mistake as the cause.
    static func reported<R>(_ body: () throws(ConditionMistake) -> R) throws(StorageError) -> R {
        do throws(ConditionMistake) {
            return try body()
        } catch {
            throw StorageError(.invalidArgument, "\(error.problem) character=\(error.offset + 1)", cause: error)
        }
    }
}

extension ConditionMistake: CustomStringConvertible {
    public var description: String { "at character \(offset + 1)" }
}

extension StorageError {
    /// The mistake in the text of a condition or of an order, for errors of ``StoredCollection/query(where:)`` and of
    /// orders as text; otherwise `nil`.
    public var conditionMistake: ConditionMistake? { cause as? ConditionMistake }
}
