package import ShaleMemtable

extension LoggedBatch {
    /// True if a value of the batch is in a value file.
    package var hasReferences: Bool {
        switch self {
        case .batch(let batch): batch.contains { $0.kind.isReference }
        case .single(let single): single.operation.kind.isReference
        }
    }

    /// The puts whose values are in a value file, in order.
    var referencingOperations: [BatchOperation] {
        switch self {
        case .batch(let batch): batch.filter { $0.kind.isReference }
        case .single(let single): single.operation.kind.isReference ? [single.operation] : []
        }
    }
}
