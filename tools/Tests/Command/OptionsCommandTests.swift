import Foundation
import Shale
import Testing

@testable import ShaleCommand

/// `options`, `touch` and `users`.
@Suite struct OptionsCommandTests {
    private func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox()
        #expect(try sandbox.shale("put", sandbox.store, "n", "k", "v", "--create").status == 0)
        return sandbox
    }

    private func options(_ sandbox: Sandbox, _ arguments: [String] = []) throws -> [String: Any] {
        try sandbox.run(["options", sandbox.store, "n", "--json"] + arguments).json()
    }

    @Test func optionsAreShownAndSetOneByOne() throws {
        let sandbox = try sandbox()
        #expect(
            try sandbox.shale("options", sandbox.store, "n").output == """
                purgeable     no
                encrypted     no
                time to live  never
                purge after   never
                purge above   never

                """)
        var json = try options(sandbox, ["--purgeable", "--time-to-live", "7d"])
        #expect(json["purgeable"] as? Bool == true && json["timeToLiveSeconds"] as? Double == 604_800)
        json = try options(
            sandbox,
            ["--purge-above", "1M", "--trim-to", "0.25", "--purge-order", "least-recently-used-first"])
        #expect(json["purgeable"] as? Bool == true && json["maximumBytes"] as? Int == 1 << 20)
        #expect(json["trimTo"] as? Double == 0.25 && json["purgeOrder"] as? String == "least-recently-used-first")
        json = try options(
            sandbox, ["--no-purgeable", "--time-to-live", "never", "--purge-above", "never", "--purge-after", "30m"])
        #expect(json["purgeable"] as? Bool == false && json["timeToLiveSeconds"] == nil)
        #expect(json["maximumBytes"] == nil && json["maximumAgeSeconds"] as? Double == 1800)
        #expect(try NSDictionary(dictionary: options(sandbox)) == NSDictionary(dictionary: json), "they are stored")
        let csv = try sandbox.shale("options", sandbox.store, "n", "--format", "csv").output
        #expect(csv.hasPrefix("namespace,user,purgeable,encrypted,versionScoped,timeToLiveSeconds,"))
    }

    @Test func aCapacityIsEnforcedOnWriting() throws {
        let sandbox = try sandbox()
        var json = try options(
            sandbox, ["--purgeable", "--purge-above", "1000", "--purge-enforcement", "on-write"])
        #expect(json["maximumBytes"] as? Int == 1000 && json["purgeEnforcement"] as? String == "on-write")
        #expect(try sandbox.shale("options", sandbox.store, "n").output.contains("purge enforced  on-write"))
        let large = String(repeating: "v", count: 1000)
        #expect(try sandbox.run(["put", sandbox.store, "n", "large", large]).status != 0)
        json = try options(sandbox, ["--purge-above", "never"])
        #expect(json["purgeEnforcement"] == nil)
        json = try options(sandbox, ["--purge-above", "1M"])
        #expect(json["purgeEnforcement"] as? String == "at-intervals")
    }

    @Test func laterWritesUseTheOptions() throws {
        let sandbox = try sandbox()
        _ = try options(sandbox, ["--purgeable", "--time-to-live", "1d"])
        try sandbox.shale("put", sandbox.store, "n", "later", "v")
        for (key, isNew) in [("k", false), ("later", true)] {
            let entry = try sandbox.shale("get", sandbox.store, "n", key, "--json").json()["entry"] as? [String: Any]
            #expect(entry?["purgeable"] as? Bool == isNew && (entry?["expiresAt"] != nil) == isNew)
        }
    }

    @Test func optionsThatContradictOrNameNothingAreRefused() throws {
        let sandbox = try sandbox()
        for wrong in [
            ["--trim-to", "0.5"], ["--purge-order", "oldest-first"], ["--trim-to", "2"], ["--time-to-live", "0d"],
            ["--purge-enforcement", "on-write"], ["--purge-above", "1M", "--purge-enforcement", "later"],
            ["--purge-above", "1M", "--purge-enforcement", "on-write", "--trim-to", "0.95"],
            ["--purge-above", "x"], ["--purge-order", "newest"], ["--purgeable", "--no-purgeable"],
        ] {
            #expect(try sandbox.run(["options", sandbox.store, "n"] + wrong).status == 64, "\(wrong)")
        }
        #expect(try sandbox.shale("options", sandbox.store, "m").status == 1)
        #expect(try sandbox.shale("options", sandbox.store, "m", "--purgeable").status == 1)
        #expect(try sandbox.shale("options", sandbox.store, "m", "--purgeable", "--create").status == 0)
        #expect(try sandbox.shale("options", sandbox.store, "m").output.contains("purgeable     yes"))
    }

    @Test func aVersionScopedNamespaceKeepsItsOptions() throws {
        let sandbox = try sandbox()
        var options = Store.Options()
        options.appVersion = "1"
        let store = try Store(at: sandbox.store, options: options)
        try store.common["cache"].setOptions(NamespaceOptions(isVersionScoped: true))
        try store.common["cache"].set(1, forKey: "k")
        try store.close()
        let set = try sandbox.shale("options", sandbox.store, "cache", "--purgeable")
        #expect(set.status == 64 && set.errors.contains("only the application"))
        let again = try Store(at: sandbox.store, options: options)
        #expect(try again.common["cache"].contains("k"))
        try again.close()
    }

    @Test func touchChangesExpiryAndPurgeabilityAndNothingElse() throws {
        let sandbox = try sandbox()
        let json = #"{ "b": 1.0, "a": 2 }"#
        try sandbox.shale("put", sandbox.store, "n", "j", json, "--type", "json", "--expires-after", "1d")
        let raw = try sandbox.shale("get", sandbox.store, "n", "j", "--raw").output
        let entry = { (key: String) in
            try sandbox.shale("get", sandbox.store, "n", key, "--json").json()["entry"] as? [String: Any] ?? [:]
        }
        let before = try entry("j")
        #expect(try sandbox.shale("touch", sandbox.store, "n", "j", "--purgeable").output == "changed 1 entry\n")
        var after = try entry("j")
        #expect(after["purgeable"] as? Bool == true && after["type"] as? String == "json")
        #expect(after["expiresAt"] as? String == before["expiresAt"] as? String)
        #expect(try sandbox.shale("get", sandbox.store, "n", "j", "--raw").output == raw)
        let date = "2099-01-02T03:04:05.000Z"
        #expect(try sandbox.shale("touch", sandbox.store, "n", "j", "k", "--expires-at", date).status == 0)
        for key in ["j", "k"] { #expect(try entry(key)["expiresAt"] as? String == date) }
        #expect(try sandbox.shale("touch", sandbox.store, "n", "j", "--never-expires", "--not-purgeable").status == 0)
        after = try entry("j")
        #expect(after["expiresAt"] == nil && after["purgeable"] as? Bool == false)
        #expect(try sandbox.shale("touch", sandbox.store, "n", "j").status == 64)
        #expect(try sandbox.shale("touch", sandbox.store, "n", "j", "--purgeable", "--not-purgeable").status == 64)
    }

    @Test func touchNamesMissingKeysAndChangesTheOthers() throws {
        let sandbox = try sandbox()
        let done = try sandbox.shale("touch", sandbox.store, "n", "x", "k", "--purgeable")
        #expect(done.status == 1 && done.output == "changed 1 entry\n")
        #expect(done.errors == "shale: there is no key x in n\n")
        let json = try sandbox.shale("touch", sandbox.store, "n", "x", "k", "--purgeable", "--json").json()
        #expect(json["touched"] as? Int == 1 && (json["missing"] as? [[String: String]]) == [["key": "x"]])
    }

    @Test func touchKeepsEncryptionAndNeedsTheKey() throws {
        let sandbox = try sandbox()
        let key = ["SHALE_KEY": String(repeating: "5a", count: 32)]
        let put = ["put", sandbox.store, "n", "s", "--encrypted"]
        #expect(try sandbox.run(put, input: "secret", environment: key).status == 0)
        let touch = ["touch", sandbox.store, "n", "s", "--expires-after", "1d"]
        #expect(try sandbox.run(touch).status == 4)
        #expect(try sandbox.run(touch, environment: key).status == 0)
        let get = ["get", sandbox.store, "n", "s", "--reveal"]
        #expect(try sandbox.run(get, environment: key).output == "secret\n")
        let entry = try sandbox.run(get + ["--json"], environment: key).json()["entry"] as? [String: Any]
        #expect(entry?["encrypted"] as? Bool == true && entry?["expiresAt"] != nil)
    }

    @Test func touchAsksForNoKeyThatItDoesNotNeed() throws {
        let sandbox = try sandbox()
        let key = ["SHALE_KEY": String(repeating: "5a", count: 32)]
        let put = ["put", sandbox.store, "n", "s", "--encrypted"]
        #expect(try sandbox.run(put, input: "secret", environment: key).status == 0)
        #expect(try sandbox.shale("touch", sandbox.store, "n", "k", "--purgeable").status == 0)
        let line = #"{"op":"set","namespace":"n","key":"b","value":1}"#
        #expect(try sandbox.run(["batch", sandbox.store], input: line).status == 0)
    }

    @Test func usersAreListedByTheBytesOfTheirNames() throws {
        let sandbox = try sandbox()
        #expect(try sandbox.shale("users", sandbox.store).output == "")
        // The same text in two spellings: two users.
        for user in ["b", "\u{e9}", "e\u{301}", "a"] {
            for namespace in ["n", "m"] {
                #expect(try sandbox.shale("put", sandbox.store, namespace, "k", "v", "--user", user).status == 0)
            }
        }
        let users = try #require(
            try sandbox.shale("users", sandbox.store, "--json").json()["users"] as? [[String: Any]])
        #expect(users.count == 4 && users.allSatisfy { $0["namespaces"] as? Int == 2 })
        let lines = try sandbox.shale("users", sandbox.store, "--format", "csv").output.split(separator: "\n")
        #expect(lines[0] == "user,namespaces,entries,rawBytes,storedBytes")
        #expect(
            lines.dropFirst().map { Array($0.utf8.prefix { $0 != 0x2c }) }
                == ["a", "b", "e\u{301}", "\u{e9}"].map { Array($0.utf8) })
    }
}
