import Foundation
import Shale
import ShaleEncryption
import Testing

@testable import ShaleCommand

/// The command shows encrypted values only on request and with the key. Keys come from files, descriptors and the
/// environment.
@Suite struct SecretTests {
    private static let key = String(repeating: "5a", count: 32)

    /// Makes a store with one encrypted value and one clear value.
    private func sandbox(_ keys: KeySource) throws -> Sandbox {
        let sandbox = try Sandbox()
        var options = Store.Options()
        options.encryption = .aes256GCM(keys)
        let store = try Store(at: sandbox.store, options: options)
        try store.common["n"].set("hidden", forKey: "secret", options: .encrypted)
        try store.common["n"].set("open", forKey: "plain")
        try store.close()
        return sandbox
    }

    private func keyFile(_ sandbox: Sandbox, _ text: String, mode: Int = 0o600) throws -> String {
        let file = try sandbox.write(text, to: "key-\(mode)")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }

    private func withKeyFile() throws -> (Sandbox, String) {
        let made = try Sandbox()
        let file = try keyFile(made, Self.key + "\n")
        let sandbox = try sandbox(.file(file))
        return (sandbox, try keyFile(sandbox, Self.key + "\n"))
    }

    @Test func withoutRevealASecretIsMaskedWithOrWithoutTheKey() throws {
        let (sandbox, file) = try withKeyFile()
        for arguments in [[], ["--key-file", file]] {
            let text = try sandbox.run(["scan", sandbox.store, "n"] + arguments)
            #expect(text.output == "plain\topen\nsecret\t(encrypted string, 22 bytes)\n")
            let json = try sandbox.run(["get", sandbox.store, "n", "secret", "--json"] + arguments)
            #expect(!json.output.contains("hidden"))
            let entry = try #require(try json.json()["entry"] as? [String: Any])
            #expect(entry["encrypted"] as? Bool == true)
            #expect(entry["value"] == nil)
            #expect(try sandbox.run(["get", sandbox.store, "n", "secret", "--raw"] + arguments).status == 64)
        }
    }

    @Test func withTheKeyAndRevealItIsShown() throws {
        let (sandbox, file) = try withKeyFile()
        let reveal = ["--reveal", "--key-file", file]
        #expect(try sandbox.run(["get", sandbox.store, "n", "secret"] + reveal).output == "hidden\n")
        #expect(try sandbox.run(["get", sandbox.store, "n", "secret", "--raw"] + reveal).output == "hidden")
        #expect(try sandbox.run(["scan", sandbox.store, "n"] + reveal).output == "plain\topen\nsecret\thidden\n")
        let variable = try sandbox.run(
            ["get", sandbox.store, "n", "secret", "--reveal"], environment: ["SHALE_KEY": Self.key])
        #expect(variable.output == "hidden\n")
        let named = try sandbox.run(
            ["get", sandbox.store, "n", "secret", "--reveal", "--key-env", "K"], environment: ["K": Self.key])
        #expect(named.output == "hidden\n")
    }

    @Test func aWrongOrMissingKeyIs4AndShowsNothing() throws {
        let (sandbox, file) = try withKeyFile()
        let wrong = try sandbox.write(String(repeating: "00", count: 32), to: "wrong")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: wrong)
        let open = try keyFile(sandbox, Self.key, mode: 0o644)
        let get = ["get", sandbox.store, "n", "secret", "--reveal"]
        for source in [
            ["--key-file", wrong], ["--key-file", "\(sandbox.path)/none"], ["--key-file", open], ["--key-env", "NONE"],
            ["--passphrase-file", file], ["--passphrase-file", open], ["--passphrase-fd", "0"], [],
        ] {
            let done = try sandbox.run(get + source)
            #expect(done.status == 4, "\(source): \(done.errors)")
            #expect(done.output == "")
            #expect(!done.errors.contains(Self.key) && !done.errors.contains("hidden"))
        }
        #expect(try sandbox.run(get + ["--key-file", file, "--key-env", "X"]).status == 64)
    }

    @Test func aPassphraseComesFromAFileADescriptorOrTheEnvironment() throws {
        let costs = try ScryptCosts(rounds: 1 << 10)
        let sandbox = try sandbox(.passphrase("correct horse", costs: costs))
        let file = try keyFile(sandbox, "correct horse\nanything\n")
        let get = ["get", sandbox.store, "n", "secret", "--reveal"]
        #expect(try sandbox.run(get + ["--passphrase-file", file]).output == "hidden\n")
        #expect(try sandbox.run(get + ["--passphrase-fd", "0"], input: "correct horse\n").output == "hidden\n")
        #expect(try sandbox.run(get, environment: ["SHALE_PASSPHRASE": "correct horse"]).output == "hidden\n")
        #expect(try sandbox.run(get + ["--passphrase-fd", "0"], input: "wrong horse\n").status == 4)
        #expect(try sandbox.run(get + ["--passphrase-fd", "0"], input: "\n").status == 4)
    }
}
