import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Converts a value to JSON by reflection.
enum ReflectedValue {
    /// Passes the JSON to `body`. Throws `.codecFailure` with a ``ReflectionError`` or the encoder's error as its
    /// cause.
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
