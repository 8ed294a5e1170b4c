import Shale

/// What a command that writes does with a key: it encrypts with it, or refuses to go on as if it did.
struct SecretPolicy {
    let keys: KeyOptions
    /// `--encrypted`.
    let encrypts: Bool

    /// True if only namespaces that encrypt by default may be written to. The variables of the environment are for
    /// all commands, so they say nothing of this one.
    var needsDefaults: Bool { keys.isNamed && !encrypts }

    /// Throws if a key was named and a value would be stored in clear all the same.
    func check(_ namespaces: [Namespace]) throws {
        guard needsDefaults else { return }
        for namespace in namespaces where try !namespace.options.isEncrypted {
            throw Self.clearRefusal(namespace.displayName)
        }
    }

    static func clearRefusal(_ namespace: String) -> ToolFailure {
        .usage("a key was named, but \(namespace) stores in clear: add --encrypted, or leave the key out")
    }

    /// Other users see arguments, and shells keep them.
    static func argumentRefusal(_ namespace: Namespace) -> ToolFailure {
        .usage(
            "\(namespace.displayName) encrypts its values: give this one on standard input or in a --file, since "
                + "arguments are for all to see; take this one for known")
    }
}
