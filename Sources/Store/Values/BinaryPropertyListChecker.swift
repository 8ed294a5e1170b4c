import ShaleBase

/// Decides whether bytes are a binary property list that Foundation's parser can be trusted with.
///
/// The parser ends the process on object kinds that it does not expect (sets), takes anything that does not start with
/// the magic for a text format, follows references without looking for cycles, and expands shared objects once for each
/// reference. So every object of the table is checked: kinds, lengths, offsets and references in bounds, dictionary keys
/// that are strings, no cycle, a bounded depth and a bounded size after expansion. Without recursion; O(objects +
/// references).
enum BinaryPropertyListChecker {
    /// Nesting of arrays and dictionaries.
    static let depthMax = 256
    /// Objects after every reference has been followed.
    static let expandedObjectsMax = 1 << 22

    /// Throws `.corruption` when `payload` is not such a property list.
    static func check(_ payload: RawSpan) throws(StorageError) {
        try unsafe payload.withUnsafeBytes { (buffer) throws(StorageError) in
            do throws(ParseFailure) {
                let list = try BinaryPropertyList(unsafe Bytes(buffer))
                try ReferenceCheck.run(list, depthMax: depthMax, expandedMax: expandedObjectsMax)
            } catch {
                throw .corruption("a stored property list is not valid: \(error.reason)")
            }
        }
    }
}

extension BinaryPropertyList: ReferenceGraph {
    var nodeCount: Int { objectCount }
    func count(_ references: References) -> Int { references.count }
}
