import ShaleBase

/// Checks that bytes are a binary property list which is safe for Foundation's parser.
///
/// The parser ends the process on object kinds that it does not expect (sets) and treats bytes without the magic as a
/// text format. It follows references without detecting cycles, and expands a shared object once for each reference.
/// The check therefore covers every object of the table: kinds, lengths, offsets and references in bounds, dictionary
/// keys that are strings, no cycle, a bounded depth and a bounded size after expansion. It uses no recursion.
///
/// - Complexity: O(objects + references).
enum BinaryPropertyListChecker {
    /// The maximum nesting of arrays and dictionaries.
    static let depthMax = 256
    /// The maximum number of objects after every reference has been followed.
    static let expandedObjectsMax = 1 << 22

    /// Throws `.corruption` if `payload` fails the check.
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
