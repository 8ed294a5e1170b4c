import ShaleBase
package import ShaleMemtable
import ShaleValues

extension LoggedBatch {
    /// True if a value of the batch is in a value file.
    package var hasReferences: Bool {
        switch self {
        case .batch(let batch): batch.contains { $0.kind.isReference }
        case .single(let single): single.operation.kind.isReference
        }
    }

    /// True if no value to which the batch refers is above the limit of a record: it was not written in pieces.
    var fitsRecord: Bool {
        get throws(StorageError) {
            for operation in referencingOperations
            where try ValueReference(stored: operation.value).count > FormatLimits.valueBytes {
                return false
            }
            return true
        }
    }

    /// Appends the operations to `encoder`, with the values to which they refer, and sets the base sequence.
    ///
    /// - Throws: `.corruption` if a value is damaged, or if the batch exceeds the limit that its writer had.
    func append(to encoder: inout BatchEncoder, _ source: ValueSource) throws(StorageError) {
        encoder.setBaseSequence(baseSequence)
        for operation in operations {
            guard operation.kind.isReference else {
                try LoggedBatch.append(operation, operation.kind, operation.value, to: &encoder)
                continue
            }
            let reference = try ValueReference(stored: operation.value)
            let value = try source.read(reference)
            defer { withExtendedLifetime(value) {} }
            try LoggedBatch.append(operation, operation.kind.ofValue, value.bytes, to: &encoder)
        }
    }

    private static func append(
        _ operation: BatchOperation, _ kind: EntryKind, _ value: Bytes, to encoder: inout BatchEncoder
    ) throws(StorageError) {
        guard encoder.byteCount + value.count <= FormatLimits.batchBytes else {
            throw .corruption("a batch refers to more bytes of values than a batch may have")
        }
        encoder.append(
            namespace: operation.namespace, key: operation.userKey, kind: kind, expiry: operation.expiry, value: value)
    }

    private var operations: [BatchOperation] {
        switch self {
        case .batch(let batch): Array(batch)
        case .single(let single): [single.operation]
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
