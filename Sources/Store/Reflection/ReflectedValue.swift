import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The JSON of a value that is looked into.
enum ReflectedValue {
    /// Lends it. Throws `.codecFailure`, whose cause is a ``ReflectionError`` or the encoder's.
    static func withJSON(
        _ value: Any, _ body: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        let tree: ReflectedTree
        do throws(ReflectionError) {
            var reflector = Reflector()
            tree = try reflector.tree(of: value)
        } catch {
            throw StorageError(.codecFailure, "a \(type(of: value)) can't be stored by reflection", cause: error)
        }
        try body(try CodableCoder.encode(tree, as: .json).bytes)
    }
}
