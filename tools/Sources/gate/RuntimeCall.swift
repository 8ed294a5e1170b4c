/// The calls that a hot path should not make.
enum RuntimeCall: String, CaseIterable {
    case referenceCount = "reference count"
    case allocation
    case exclusivity = "exclusivity check"
    /// The initialization of a global or static variable.
    case lazyInitialisation = "lazy initialisation"
    /// Metadata, casts, witness tables, uniqueness: generics that were not specialised, existentials, arrays.
    case runtime
    /// A function of the standard library or of Foundation that was not specialised or inlined.
    case library
    /// A call through a pointer: a witness, a method that may be overridden, a closure.
    case indirect = "indirect call"

    /// Classifies a call of `symbol` in another object (a shared library); `nil` if the call is allowed.
    init?(symbol: String) {
        if symbol.hasPrefix("swift_willThrow") || symbol == "swift_unexpectedError" { return nil }
        if RuntimeCall.allocators.contains(symbol) || symbol.hasPrefix("swift_alloc") || symbol.hasPrefix("swift_slow")
            || symbol.hasPrefix("swift_dealloc")
        {
            self = .allocation
        } else if symbol.hasPrefix("swift_retain") || symbol.hasPrefix("swift_release")
            || symbol.hasPrefix("swift_bridgeObject") || symbol.hasPrefix("swift_unknownObject")
            || symbol.hasPrefix("swift_unowned") || symbol.hasPrefix("swift_weak")
        {
            self = .referenceCount
        } else if symbol.hasPrefix("swift_beginAccess") || symbol.hasPrefix("swift_endAccess") {
            self = .exclusivity
        } else if symbol.hasPrefix("swift_once") {
            self = .lazyInitialisation
        } else if symbol.hasPrefix("swift_") {
            self = .runtime
        } else if symbol.hasPrefix("$s") || symbol.hasPrefix("_ZN5swift") {
            self = .library
        } else {
            return nil
        }
    }

    private static let allocators: Set<String> = [
        "malloc", "calloc", "realloc", "free", "posix_memalign", "aligned_alloc", "memalign",
    ]
}
