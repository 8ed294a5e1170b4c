import Foundation
import Shale
import ShaleEncryption
import Testing

@testable import ShaleCommand

/// The command takes no secret from the command line, and uses every key that is named
/// (ShaleInspection.docc, "The command").
@Suite struct SecretArgumentTests {
    private static let key = String(repeating: "5a", count: 32)

    /// Makes a store with a namespace that encrypts by default and one that does not, and returns the key's file.
    private func make() throws -> (Sandbox, key: String) {
        let sandbox = try Sandbox()
        let file = try sandbox.write(Self.key, to: "key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        var options = Store.Options()
        options.encryption = .aes256GCM(.file(file))
        let store = try Store(at: sandbox.store, options: options)
        try store.common["sealed"].setOptions(NamespaceOptions(isEncrypted: true))
        try store.common["sealed"].set("old", forKey: "k")
        try store.common["open"].set("old", forKey: "k")
        try store.close()
        return (sandbox, file)
    }

    private func isEncrypted(_ key: String, in namespace: String, _ sandbox: Sandbox) throws -> Bool? {
        let done = try sandbox.shale("get", sandbox.store, namespace, key, "--json")
        return (try done.json()["entry"] as? [String: Any])?["encrypted"] as? Bool
    }

    @Test func anArgumentIsNoValueForANamespaceThatEncrypts() throws {
        let (sandbox, key) = try make()
        for source in [[], ["--key-file", key]] {
            let put = try sandbox.run(["put", sandbox.store, "sealed", "k", "secret-word"] + source)
            #expect(put.status == 64)
            #expect(put.errors.contains("standard input or with --file") && !put.errors.contains("secret-word"))
        }
        #expect(try sandbox.shale("put", sandbox.store, "open", "k", "v", "--encrypted").status == 64)
        let get = ["get", sandbox.store, "sealed", "k", "--reveal", "--key-file", key]
        #expect(try sandbox.run(get).output == "old\n", "nothing was stored")
        let put = ["put", sandbox.store, "sealed", "k", "--key-file", key]
        #expect(try sandbox.run(put, input: "new").status == 0)
        #expect(try sandbox.run(get).output == "new\n")
    }

    @Test func aKeyThatNothingWouldBeEncryptedWithIsRefused() throws {
        let (sandbox, key) = try make()
        let file = try sandbox.write("{\"k\":\"a\",\"v\":\"first\"}\n", to: "x.ndjson")
        let named = ["--key-file", key]
        let importing = { (store: String, namespace: String) in ["import", store, namespace, file, "--key", "k"] }
        for line in [
            importing(sandbox.store, "open"), importing(sandbox.store, "new"), ["put", sandbox.store, "open", "a"],
            importing("\(sandbox.path)/none", "open"), ["put", sandbox.store, "new", "a"],
        ] {
            let done = try sandbox.run(line + named, input: "v")
            #expect(done.status == 64 && done.errors.contains("add --encrypted"), "\(line): \(done.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: "\(sandbox.path)/none"))
        #expect(try sandbox.shale("get", sandbox.store, "open", "a").status == 1)
        // The key of the environment is for all commands.
        let variable = try sandbox.run(importing(sandbox.store, "open"), environment: ["SHALE_KEY": Self.key])
        #expect(variable.status == 0)
        #expect(try isEncrypted("a", in: "open", sandbox) == false)
    }

    @Test func anImportEncryptsOnDemandAndByDefaultAndResumes() throws {
        let (sandbox, key) = try make()
        let file = try sandbox.write("{\"k\":\"a\",\"d\":\"text\"}\n{\"k\":\"b\"}\n", to: "x.ndjson")
        let options = ["--key", "k", "--key-file", key, "--purgeable-field", "d", "--encrypted", "--json"]
        for namespace in ["open", "fresh"] {
            let line = ["import", sandbox.store, namespace, file] + options
            #expect(try sandbox.run(line).status == 0)
            #expect(try isEncrypted("a", in: namespace, sandbox) == true)
            #expect(try isEncrypted("a", in: namespace + "/d", sandbox) == true)
            #expect(try sandbox.run(line + ["--resume"]).json()["skippedRecords"] as? Int == 2)
        }
        let sealed = ["import", sandbox.store, "sealed", file, "--key", "k", "--key-file", key]
        #expect(try sandbox.run(sealed).status == 0)
        #expect(try isEncrypted("b", in: "sealed", sandbox) == true)
        // An entry in the clear does not count as imported if the import encrypts.
        #expect(try sandbox.shale("import", sandbox.store, "clear", file, "--key", "k").status == 0)
        let again = try sandbox.run(["import", sandbox.store, "clear", file, "--resume"] + options)
        #expect(try again.json()["skippedRecords"] as? Int == 0)
        #expect(try isEncrypted("b", in: "clear", sandbox) == true)
    }

    @Test func aKeyInPlaceOfAVariablesNameIsRefusedAndNotRepeated() throws {
        let (sandbox, _) = try make()
        for word in [Self.key, "a" + Self.key.dropFirst(), "correct horse", ""] {
            let done = try sandbox.shale("get", sandbox.store, "open", "k", "--key-env", word)
            #expect(done.status == 64)
            #expect(word.isEmpty || !done.errors.contains(word))
        }
    }

    @Test func noOptionTakesASecretItself() throws {
        // Every option whose name refers to a secret takes the place of the secret, not the secret.
        let sandbox = try Sandbox()
        for command in ["get", "put", "scan", "import", "dump", "load", "copy", "backup", "repair"] {
            let help = try sandbox.shale(command, "--help").output
            for match in help.matches(of: #/--(?:[a-z]+-)*(?:key|pass|secret|token)[a-z-]*/#) {
                let known = [
                    "--key", "--key-file", "--key-env", "--passphrase-file", "--passphrase-fd", "--keys-only",
                    "--cluster-keyring",
                ]
                #expect(known.contains(String(match.output)), "shale \(command) \(match.output)")
            }
        }
    }
}
