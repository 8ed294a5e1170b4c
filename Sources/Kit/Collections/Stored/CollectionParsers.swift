package import Shale
package import ShaleBase

/// The parsers and orders of collections, for fuzzers.
package enum CollectionParsers {
    /// Returns the part of an index key that a column makes, and true if the value was cut there.
    package static func column(
        _ element: CompositeKey.Element, isDescending: Bool
    ) -> (bytes: [UInt8], isCut: Bool) {
        var key = IndexKey()
        key.append(element, isDescending: isDescending)
        return (key.bytes, key.cutEnd != nil)
    }

    /// Returns the form of a value that an index contains.
    package static func canonical(_ element: CompositeKey.Element) -> CompositeKey.Element {
        IndexKey.canonical(element)
    }

    /// True if a condition `a < b` holds.
    package static func isLess(_ a: CompositeKey.Element, _ b: CompositeKey.Element) -> Bool {
        FieldOrder.isLess(a, b)
    }

    /// True if a unique index holds only one of two values.
    package static func isSame(_ a: CompositeKey.Element, _ b: CompositeKey.Element) -> Bool {
        FieldOrder.isSame(a, b)
    }

    /// Parses the value of an index entry. Returns the primary key, and the end of what cut values share.
    package static func entry(
        _ value: [UInt8], key: [UInt8], invertsPrimary: Bool
    ) throws(StorageError) -> (primary: [UInt8], cutEnd: Int?) {
        let entry = try IndexEntryValue(value, key: key, invertsPrimary: invertsPrimary)
        return (entry.primary, entry.cutEnd)
    }

    /// Returns the value of an entry whose primary key follows its columns.
    package static func entryValue(columnBytes: Int, cutEnd: Int?) -> [UInt8] {
        IndexEntryValue.inKey(columnBytes: columnBytes, cutEnd: cutEnd)
    }

    /// Checks a stored schema as opening does. Returns what a collection with that schema would store.
    package static func layout(_ stored: StoredSchema) throws(StorageError) -> StoredSchema {
        let layout = try CollectionLayout(stored)
        return layout.stored(firstIndex: 1, isReady: true)
    }
}
