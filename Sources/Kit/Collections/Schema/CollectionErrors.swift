public import ShaleBase

extension StorageError.Code {
    /// A record breaks a constraint of its collection; nothing was written.
    ///
    /// ``ShaleBase/StorageError/constraintViolation`` names the field.
    public static let constraintViolated = StorageError.Code(rawValue: "constraintViolated")

    /// A collection is stored with another schema than the one it was opened with; nothing was changed.
    public static let schemaMismatch = StorageError.Code(rawValue: "schemaMismatch")
}

/// The constraint that a record breaks.
public struct ConstraintViolation: Error, Hashable, Sendable {
    /// The kind of a constraint.
    public enum Kind: String, Sendable, Hashable {
        /// Another record has the same value.
        case notUnique
        /// The value is nil.
        case isNull
        /// Another record has the same primary key.
        case keyExists
    }

    public let kind: Kind
    /// The name of the collection.
    public let collection: String
    /// The name of the field; of the index if a unique index over several fields refuses the record. For a generated
    /// key, empty.
    public let field: String
}

extension StorageError {
    /// The constraint that was broken, for errors with the code `.constraintViolated`; otherwise `nil`.
    public var constraintViolation: ConstraintViolation? { cause as? ConstraintViolation }

    static func violation(_ kind: ConstraintViolation.Kind, _ field: String, in collection: String) -> StorageError {
        let what =
            switch kind {
            case .notUnique: "another record has the same value"
            case .isNull: "a value that must not be nil is nil"
            case .keyExists: "another record has the same primary key"
            }
        return StorageError(
            .constraintViolated, "\(what) collection=\(collection) field=\(field)",
            cause: ConstraintViolation(kind: kind, collection: collection, field: field))
    }

    static func schema(_ problem: String, _ collection: String) -> StorageError {
        StorageError(.schemaMismatch, "\(problem) collection=\(collection)")
    }
}
