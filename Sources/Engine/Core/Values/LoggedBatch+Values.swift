import ShaleMemtable

extension LoggedBatch {
    /// The puts whose values are in a value file, in order.
    var referencingOperations: [BatchOperation] {
        switch self {
        case .batch(let batch): batch.filter { $0.kind.isReference }
        case .single(let single): single.operation.kind.isReference ? [single.operation] : []
        }
    }
}
