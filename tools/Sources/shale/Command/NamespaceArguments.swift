import ArgumentParser

/// The namespace that a command works on, and the user whose space it is in.
struct NamespaceArguments: ParsableArguments {
    @Argument(
        help: "The namespace; \"/\" separates levels, %2F stands for a slash in a name.",
        completion: StoreCompletion.namespaces)
    var namespace: String

    @OptionGroup var space: SpaceOption

    func path() throws -> NamespacePath { try NamespacePath(namespace, user: space.user) }
}

/// The only namespace that a command works on, if one is named, and the user whose space it is in.
struct OptionalNamespaceArguments: ParsableArguments {
    @Argument(help: "Only this namespace; \"/\" separates levels.", completion: StoreCompletion.namespaces)
    var namespace: String?

    @OptionGroup var space: SpaceOption

    func validate() throws {
        if namespace == nil, space.user != nil { throw ValidationError("--user needs a namespace") }
    }

    /// Returns `nil` if no namespace is named.
    func path() throws -> NamespacePath? { try namespace.map { try NamespacePath($0, user: space.user) } }
}

/// The user whose space a namespace is in.
struct SpaceOption: ParsableArguments {
    @Option(
        help: "The user whose space the namespace is in; default: the common space.",
        completion: StoreCompletion.users)
    var user: String?
}
