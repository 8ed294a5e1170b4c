package import ShaleBase

/// A batch in a log record, in either of its formats.
package enum LoggedBatch: Sendable {
    case batch(BatchOperations)
    case single(SingleOperation)

    /// Checks bytes of unknown origin. `isSingle` is true for the format of a single operation.
    @inline(__always)
    package init(validating bytes: Bytes, isSingle: Bool) throws(ParseFailure) {
        self =
            if isSingle {
                .single(try SingleOperation(validating: bytes))
            } else {
                .batch(try BatchOperations(validating: bytes))
            }
    }

    /// The number of operations.
    package var count: Int {
        switch self {
        case .batch(let batch): batch.count
        case .single: 1
        }
    }

    /// The sequence of the first operation.
    package var baseSequence: SequenceNumber {
        switch self {
        case .batch(let batch): batch.baseSequence
        case .single(let single): single.sequence
        }
    }

    /// The sequence of the last operation.
    package var lastSequence: SequenceNumber { baseSequence &+ SequenceNumber(count) &- 1 }

    /// Returns the first operation's namespace with an id of at least `limit`; nil if there is none.
    package func firstNamespace(from limit: UInt32) -> NamespaceID? {
        switch self {
        case .batch(let batch):
            for operation in batch where operation.namespace.rawValue >= limit { return operation.namespace }
            return nil
        case .single(let single):
            return single.operation.namespace.rawValue >= limit ? single.operation.namespace : nil
        }
    }
}
