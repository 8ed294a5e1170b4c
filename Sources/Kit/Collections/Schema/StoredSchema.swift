/// A schema as it is stored in the namespace `.schema` of a collection, as JSON under the key `schema`. On disk, do not
/// change: a reader ignores members that it does not know.
package struct StoredSchema: Codable, Sendable, Equatable {
    package struct Field: Codable, Sendable, Equatable {
        package let name: String
        package let kind: FieldKind
        package let constraint: FieldConstraint
        package let isNullable: Bool
    }

    package struct Column: Codable, Sendable, Equatable {
        package let field: String
        package let isDescending: Bool
    }

    package struct Index: Codable, Sendable, Equatable {
        /// The number in the name of the index's namespace. Never used again after the index is dropped.
        package var id: Int
        package let name: String
        package let columns: [Column]
        package let isUnique: Bool
        /// True if the index contains every record. Until then writers maintain it, and no query uses it.
        package var isReady: Bool
        /// True if the index contains keyed hashes in place of values. Missing means false.
        package var isKeyed: Bool?
        /// True if the index was built over records that could not be read, and so lacks their entries. Missing means
        /// false.
        package var isPartial: Bool?

        var containsHashes: Bool { isKeyed == true }

        /// True if both describe the same index, with values or with hashes.
        func hasSameDefinition(as other: Index) -> Bool {
            name == other.name && columns == other.columns && isUnique == other.isUnique
        }
    }

    /// The format of this document.
    package static let format = 1

    package var format = StoredSchema.format
    package var name: String
    package var version: Int
    /// The field that is the primary key; `nil` if keys are generated.
    package var key: String?
    package var fields: [Field]
    package var indexes: [Index]
    package var nextIndex: Int
    /// True if there may be records of earlier versions.
    package var isMigrating: Bool

    /// The names in which two descriptions of the same version differ; empty if they agree.
    func differences(from other: StoredSchema) -> [String] {
        var found: [String] = []
        if name != other.name { found.append("name") }
        if key != other.key { found.append("primary key") }
        if fields != other.fields { found.append("fields") }
        return found
    }
}
