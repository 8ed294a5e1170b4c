import Shale

/// Ensures that a writing command for which a key was named encrypts, and refuses to run otherwise.
struct SecretPolicy {
    let keys: KeyOptions
    /// True if `--encrypted` was given.
    let encrypts: Bool

    /// True if only namespaces that encrypt by default may be written to. Variables of the environment apply to all
    /// commands, so they don't count as naming a key for this one.
    var needsDefaults: Bool { keys.isNamed && !encrypts }

    /// Throws if a key was named and a value would be stored in clear nevertheless.
    func check(_ namespaces: [Namespace]) throws {
        guard needsDefaults else { return }
        for namespace in namespaces where try !namespace.options.isEncrypted {
            throw Self.clearRefusal(namespace.displayName)
        }
    }

    static func clearRefusal(_ namespace: String) -> ToolFailure {
        .usage("a key was named, but \(namespace) does not encrypt its values: add --encrypted, or leave the key out")
    }

    /// Other users see arguments, and shells keep them in their history.
    static func argumentRefusal(_ namespace: Namespace) -> ToolFailure {
        .usage(
            "\(namespace.displayName) encrypts its values: give this one on standard input or with --file. "
                + "Other users can see arguments, so treat this value as disclosed")
    }
}
