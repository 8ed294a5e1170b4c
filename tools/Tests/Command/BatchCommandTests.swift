import Foundation
import Shale
import Testing

@testable import ShaleCommand

/// `batch`: all operations or none.
@Suite struct BatchCommandTests {
    private func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox()
        #expect(try sandbox.shale("put", sandbox.store, "n", "old", "1", "--create").status == 0)
        return sandbox
    }

    private func get(_ sandbox: Sandbox, _ namespace: String, _ key: String) throws -> [String: Any]? {
        try sandbox.shale("get", sandbox.store, namespace, key, "--json").json()["entry"] as? [String: Any]
    }

    @Test func operationsOnSeveralNamespacesAreApplied() throws {
        let sandbox = try sandbox()
        let lines = """
            {"op":"set","namespace":"n","key":"a","value":"text"}
            {"op":"set","namespace":"m/x","key":"i","value":7}

            {"op":"set","namespace":"m/x","user":"u","key":"d","value":0.5,"purgeable":true}
            {"op":"set","namespace":"n","keyBase64":"/w==","value":"AAE=","type":"data"}
            {"op":"set","namespace":"n","key":"j","value":{"b":1.0,"a":[null]}}
            {"op":"set","namespace":"n","key":"t","value":"2026-01-02T03:04:05Z","type":"date","expiresAfter":"1d"}
            {"op":"set","namespace":"n","key":"b","value":true}
            {"op":"remove","namespace":"n","key":"old"}
            {"op":"remove","namespace":"none","key":"old"}
            """
        let done = try sandbox.run(["batch", sandbox.store, "--json"], input: lines)
        #expect(done.status == 0, "\(done.errors)")
        let json = try done.json()
        #expect(json["sets"] as? Int == 7 && json["removes"] as? Int == 2 && json["namespaces"] as? Int == 4)
        #expect(try sandbox.shale("get", sandbox.store, "n", "j").output == #"{"a":[null],"b":1}"# + "\n")
        #expect(try sandbox.shale("get", sandbox.store, "n", "j", "--raw").output == #"{"b":1.0,"a":[null]}"#)
        #expect(try get(sandbox, "m/x", "i")?["type"] as? String == "int")
        let types = ["a": "string", "t": "date", "b": "bool"]
        for (key, type) in types { #expect(try get(sandbox, "n", key)?["type"] as? String == type) }
        #expect(try get(sandbox, "n", "t")?["expiresAt"] != nil)
        #expect(try sandbox.shale("get", sandbox.store, "n", "\\xff").output == "AAE=\n")
        #expect(try sandbox.shale("get", sandbox.store, "m/x", "d", "--user", "u").output == "0.5\n")
        #expect(try sandbox.shale("get", sandbox.store, "n", "old").status == 1)
        #expect(try !sandbox.shale("namespaces", sandbox.store).output.contains("none"))
    }

    @Test(arguments: [
        (#"{"op":"set","namespace":"n","key":"a"}"#, "\"value\" is missing"),
        (#"{"op":"set","namespace":"n","key":"a","value":null}"#, "null"),
        (#"{"op":"set","namespace":"n","key":"a","value":1,"purgable":true}"#, "\"purgable\""),
        (#"{"op":"set","namespace":"n","key":"a","value":1,"value":2}"#, "twice"),
        (#"{"op":"set","namespace":"n","value":1}"#, "\"keyBase64\""),
        (#"{"op":"set","namespace":"n","keyBase64":"=","value":1}"#, "base64"),
        (#"{"op":"set","namespace":"a//b","key":"a","value":1}"#, "empty level"),
        (#"{"op":"set","namespace":"n","key":"a","value":"x","type":"int"}"#, "not a valid int"),
        (#"{"op":"set","namespace":"n","key":"a","value":"x","type":"text"}"#, "\"type\""),
        (#"{"op":"set","namespace":"n","key":"a","value":1,"expiresAfter":"5"}"#, "expiresAfter"),
        (#"{"op":"remove","namespace":"n","key":"a","value":1}"#, "\"value\""),
        (#"{"op":"move","namespace":"n","key":"a"}"#, "\"op\""),
        (#"{"op":"set","namespace":"n","key":"a","value":tru}"#, "unexpected character"),
        ("[]", "not a JSON object"),
    ])
    func aWrongLineIsNamedAndNothingIsApplied(_ line: String, _ message: String) throws {
        let sandbox = try sandbox()
        let input = #"{"op":"set","namespace":"n","key":"good","value":1}"# + "\n\n" + line + "\n"
        let done = try sandbox.run(["batch", sandbox.store], input: input)
        #expect(done.status == 65)
        #expect(done.errors.contains("standard input: line 3: ") && done.errors.contains(message), "\(done.errors)")
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--keys-only").output == "old\n")
    }

    @Test func aValueThatIsTooLongIsNamedByItsLine() throws {
        let sandbox = try sandbox()
        let key = String(repeating: "k", count: 16_385)
        let lines =
            #"{"op":"remove","namespace":"n","key":"old"}"# + "\n"
            + #"{"op":"remove","namespace":"n","key":"\#(key)"}"#
        let done = try sandbox.run(["batch", sandbox.store], input: lines)
        #expect(done.status == 65 && done.errors.contains("line 2: the key is longer"))
        #expect(try sandbox.shale("get", sandbox.store, "n", "old").status == 0)
    }

    @Test func aDryRunChecksAndChangesNothing() throws {
        let sandbox = try sandbox()
        let line = #"{"op":"set","namespace":"m","key":"a","value":1}"#
        let done = try sandbox.run(["batch", sandbox.store, "--dry-run"], input: line)
        #expect(done.status == 0 && done.output == "valid: 1 value, 0 removals in 1 namespace\n")
        #expect(try sandbox.shale("get", sandbox.store, "m", "a").status == 1)
        let absent = "\(sandbox.path)/absent"
        #expect(try sandbox.run(["batch", absent, "--dry-run"], input: line).status == 5)
        #expect(try sandbox.run(["batch", absent, "--dry-run", "--create"], input: line).status == 0)
        #expect(!FileManager.default.fileExists(atPath: absent))
        #expect(try sandbox.run(["batch", absent, "--create", "--synced"], input: line).status == 0)
        #expect(try sandbox.run(["batch", sandbox.store, "--dry-run"], input: "{").status == 65)
    }

    @Test func valuesAreEncryptedOnDemandAndNeverLeftInTheClearByMistake() throws {
        let sandbox = try sandbox()
        let key = try sandbox.write(String(repeating: "5a", count: 32), to: "key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        let clear = #"{"op":"set","namespace":"n","key":"s","value":"secret"}"#
        let refused = try sandbox.run(["batch", sandbox.store, "--key-file", key], input: clear)
        #expect(refused.status == 64 && refused.errors.contains("line 1") && !refused.errors.contains("secret"))
        let sealed = #"{"op":"set","namespace":"n","key":"s","value":"secret","encrypted":true}"#
        #expect(try sandbox.run(["batch", sandbox.store], input: sealed).status == 4)
        #expect(try sandbox.run(["batch", sandbox.store, "--key-file", key], input: sealed).status == 0)
        #expect(try get(sandbox, "n", "s")?["encrypted"] as? Bool == true)
        let get = ["get", sandbox.store, "n", "s", "--reveal", "--key-file", key]
        #expect(try sandbox.run(get).output == "secret\n")
    }
}
