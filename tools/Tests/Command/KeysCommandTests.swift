import Foundation
import Shale
import Testing

@testable import ShaleCommand

/// `keys`: files, checks and changes of keys.
@Suite struct KeysCommandTests {
    private func keyFile(_ sandbox: Sandbox, _ name: String) throws -> String {
        let file = "\(sandbox.path)/\(name)"
        let made = try sandbox.shale("keys", "make", file)
        #expect(made.status == 0 && made.output == "made \(file)\n", "\(made.errors)")
        return file
    }

    private func encrypted(_ sandbox: Sandbox, _ key: String) throws {
        for namespace in ["n", "m"] {
            let put = ["put", sandbox.store, namespace, "k", "--encrypted", "--create", "--key-file", key]
            #expect(try sandbox.run(put, input: "secret").status == 0)
        }
    }

    private func get(_ sandbox: Sandbox, _ key: String) throws -> Sandbox.Outcome {
        try sandbox.run(["get", sandbox.store, "n", "k", "--reveal", "--key-file", key])
    }

    @Test func aKeyFileIsClosedToOthersAndNeverReplaced() throws {
        let sandbox = try Sandbox()
        let file = try keyFile(sandbox, "key")
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let content = try Data(contentsOf: URL(fileURLWithPath: file))
        let again = try sandbox.shale("keys", "make", file)
        #expect(again.status == 64 && again.errors.contains("not replaced"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == content)
        #expect(try Data(contentsOf: URL(fileURLWithPath: keyFile(sandbox, "other"))) != content)
        #expect(try sandbox.shale("keys", "make", "\(sandbox.path)/none/key").status == 5)
    }

    @Test func aKeyIsChecked() throws {
        let sandbox = try Sandbox()
        let key = try keyFile(sandbox, "key")
        let other = try keyFile(sandbox, "other")
        try sandbox.shale("put", sandbox.store, "clear", "k", "v", "--create")
        let check = { (key: String) in try sandbox.shale("keys", "check", sandbox.store, "--key-file", key, "--json") }
        #expect(try check(other).json()["hasKey"] as? Bool == false)
        try encrypted(sandbox, key)
        try sandbox.shale("options", sandbox.store, "m", "--encrypted", "--key-file", key)
        let json = try check(key).json()
        #expect(json["hasKey"] as? Bool == true && json["encryptedNamespaces"] as? Int == 1)
        #expect((json["unfinished"] as? [Any])?.isEmpty == true)
        #expect(try check(other).status == 4)
        #expect(try sandbox.shale("keys", "check", sandbox.store).status == 4)
        let text = try sandbox.shale("keys", "check", sandbox.store, "--key-file", key).output
        #expect(text == "this is the store's key\n1 namespace encrypted by default\n")
    }

    @Test func aMasterKeyIsChangedInOneStep() throws {
        let sandbox = try Sandbox()
        let old = try keyFile(sandbox, "old")
        let new = try keyFile(sandbox, "new")
        try encrypted(sandbox, old)
        let change = ["keys", "change-master", sandbox.store]
        #expect(try sandbox.run(change + ["--key-file", new, "--new-key-file", old]).status == 4)
        #expect(try sandbox.run(change + ["--key-file", old, "--new-key-file", old + "x"]).status == 4)
        #expect(try get(sandbox, old).output == "secret\n", "nothing has changed")
        let done = try sandbox.run(change + ["--key-file", old, "--new-key-file", new, "--json"])
        #expect(try done.status == 0 && done.json()["isChanged"] as? Bool == true)
        #expect(try get(sandbox, old).status == 4)
        #expect(try get(sandbox, new).output == "secret\n")
        let phrase = try sandbox.write("correct horse\n", to: "phrase")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: phrase)
        #expect(try sandbox.run(change + ["--key-file", new, "--new-passphrase-file", phrase]).status == 0)
        let reveal = ["get", sandbox.store, "n", "k", "--reveal", "--passphrase-file", phrase]
        #expect(try sandbox.run(reveal).output == "secret\n")
        for two in [
            ["--new-key-file", new, "--new-key-env", "X"], ["--new-key-env", String(repeating: "5a", count: 32)],
        ] {
            #expect(try sandbox.run(change + ["--passphrase-file", phrase] + two).status == 64)
        }
    }

    @Test func dataKeysAreChangedForAStoreOrANamespace() throws {
        let sandbox = try Sandbox()
        let key = try keyFile(sandbox, "key")
        try encrypted(sandbox, key)
        let change = ["keys", "change-data", sandbox.store, "--key-file", key, "--json"]
        let sealed = { () throws -> [UInt8]? in
            let store = try Store(at: sandbox.store)
            defer { #expect(throws: Never.self) { try store.close() } }
            let id = try #require(store.identifier(of: NamespacePath("n", user: nil)))
            return try store.engine.value(forKey: Array("k".utf8), in: id)
        }
        let before = try sealed()
        let all = try sandbox.run(change).json()
        #expect(all["rewritten"] as? Int == 2 && all["isResumed"] as? Bool == false)
        #expect(try sealed() != before)
        #expect(try get(sandbox, key).output == "secret\n")
        #expect(try sandbox.run(change + ["m"]).json()["rewritten"] as? Int == 1)
        #expect(try sandbox.run(change + ["none"]).status == 1)
        #expect(try sandbox.run(["keys", "change-data", sandbox.store]).status == 4)
        #expect(try get(sandbox, key).output == "secret\n")
    }

    @Test func noOptionTakesAKeyItself() throws {
        let sandbox = try Sandbox()
        for command in ["check", "change-master", "change-data", "make"] {
            let help = try sandbox.shale("keys", command, "--help").output
            for match in help.matches(of: #/--(?:[a-z]+-)*(?:key|pass|secret|token)[a-z-]*/#) {
                let known = ["key-file", "key-env", "passphrase-file", "passphrase-fd"]
                let name = match.output.dropFirst(2)
                #expect(known.contains { name == $0 || name == "new-" + $0 }, "shale keys \(command) \(match.output)")
            }
        }
    }
}
