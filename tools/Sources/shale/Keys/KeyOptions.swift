import ArgumentParser
import Shale
import ShaleEncryption

/// The source of an encrypted store's master key. An argument can't contain the key itself, because other users see
/// arguments.
struct KeyOptions: ParsableArguments {
    @Option(
        help: "A file with the master key, 32 bytes or 64 hexadecimal digits, closed to other users.",
        completion: .file())
    var keyFile: String?

    @Option(help: "A file whose first line is the passphrase, closed to other users.", completion: .file())
    var passphraseFile: String?

    @Option(help: "A file descriptor whose first line is the passphrase.")
    var passphraseFd: Int32?

    @Option(help: "The environment variable that holds the master key as 64 hexadecimal digits.")
    var keyEnv: String?

    func validate() throws {
        let given = [keyFile != nil, passphraseFile != nil, passphraseFd != nil, keyEnv != nil]
        guard given.count(where: { $0 }) <= 1 else { throw ValidationError("name only one source of the key") }
        if let keyEnv, !Self.isVariable(keyEnv) {
            // The argument may be the key itself, so the message does not repeat it.
            throw ValidationError("--key-env takes the name of a variable, never a key: other users can see arguments")
        }
    }

    /// True if an option, not only the environment, names a key.
    var isNamed: Bool { keyFile != nil || passphraseFile != nil || passphraseFd != nil || keyEnv != nil }

    /// Returns true for a valid name of a shell variable that does not have the form of a key.
    static func isVariable(_ name: String) -> Bool {
        name.wholeMatch(of: #/[A-Za-z_][A-Za-z0-9_]*/#) != nil && name.wholeMatch(of: #/[0-9A-Fa-f]{64}/#) == nil
    }

    static let keyVariable = "SHALE_KEY"
    static let passphraseVariable = "SHALE_PASSPHRASE"

    /// Returns the source that the options name, otherwise the one that the environment names; `nil` if there is
    /// neither.
    func source() throws -> (any KeyProvider)? {
        if let keyFile { return KeySource.file(keyFile) }
        if let keyEnv { return KeySource.environment(keyEnv) }
        if let passphraseFile { return KeySource.passphrase(try Passphrase.read(file: passphraseFile)) }
        if let passphraseFd {
            return KeySource.passphrase(try Passphrase.read(passphraseFd, named: "file descriptor \(passphraseFd)"))
        }
        if Terminal.environment(Self.keyVariable) != nil { return KeySource.environment(Self.keyVariable) }
        return Terminal.environment(Self.passphraseVariable).map { KeySource.passphrase($0) }
    }

    /// Returns the encryption for opening a store. `asks`: if nothing names a key and the store needs one, the user at
    /// the terminal is asked.
    func encryption(asks: Bool) throws -> StoreEncryption? {
        if let source = try source() { return StoreEncryption(cipher: AES256GCM(), keys: source) }
        return asks ? StoreEncryption(cipher: AES256GCM(), keys: AskedKey()) : nil
    }
}

/// The source of a new master key. See ``KeyOptions``.
struct NewKeyOptions: ParsableArguments {
    @Option(help: "A file with the new master key; \"keys make\" makes one.", completion: .file())
    var newKeyFile: String?

    @Option(help: "A file whose first line is the new passphrase, closed to other users.", completion: .file())
    var newPassphraseFile: String?

    @Option(help: "A file descriptor whose first line is the new passphrase.")
    var newPassphraseFd: Int32?

    @Option(help: "The environment variable that holds the new master key as 64 hexadecimal digits.")
    var newKeyEnv: String?

    func validate() throws {
        let given = [newKeyFile != nil, newPassphraseFile != nil, newPassphraseFd != nil, newKeyEnv != nil]
        guard given.count(where: { $0 }) <= 1 else { throw ValidationError("name only one source of the new key") }
        if let newKeyEnv, !KeyOptions.isVariable(newKeyEnv) {
            throw ValidationError(
                "--new-key-env takes the name of a variable, never a key: other users can see arguments")
        }
    }

    /// Returns the source that the options name; without one, asks for a passphrase at the terminal, twice.
    func source() throws -> any KeyProvider {
        if let newKeyFile { return KeySource.file(newKeyFile) }
        if let newKeyEnv { return KeySource.environment(newKeyEnv) }
        if let newPassphraseFile { return KeySource.passphrase(try Passphrase.read(file: newPassphraseFile)) }
        if let newPassphraseFd {
            return KeySource.passphrase(
                try Passphrase.read(newPassphraseFd, named: "file descriptor \(newPassphraseFd)"))
        }
        return KeySource.passphrase(try Passphrase.ask("New passphrase: ", confirming: true))
    }
}

/// Ensures that a writing command for which a key was named encrypts, and refuses to run otherwise.
struct SecretPolicy {
    let keys: KeyOptions
    /// True if `--encrypted` was given.
    let encrypts: Bool

    /// True if only namespaces that encrypt by default may be written to. Variables of the environment apply to all
    /// commands, so they don't count as naming a key for this one.
    var needsDefaults: Bool { keys.isNamed && !encrypts }

    /// Throws if a key was named and a value would be stored in clear nevertheless.
    func check(_ namespaces: [Store.Namespace]) throws {
        guard needsDefaults else { return }
        for namespace in namespaces where try !namespace.options.isEncrypted {
            throw Self.clearRefusal(namespace.displayName)
        }
    }

    static func clearRefusal(_ namespace: String) -> ToolFailure {
        .usage("a key was named, but \(namespace) does not encrypt its values: add --encrypted, or leave the key out")
    }

    /// Other users see arguments, and shells keep them in their history.
    static func argumentRefusal(_ namespace: Store.Namespace) -> ToolFailure {
        .usage(
            "\(namespace.displayName) encrypts its values: give this one on standard input or with --file. "
                + "Other users can see arguments, so treat this value as disclosed")
    }
}
