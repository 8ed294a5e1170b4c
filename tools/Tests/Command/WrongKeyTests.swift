import ArgumentParser
import Foundation
import Shale
import ShaleEncryption
import Testing

@testable import ShaleCommand

/// Every command ends with code 4 for a wrong key and changes no byte of the store.
@Suite struct WrongKeyTests {
    private func content(of store: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: store) {
            files[name] = FileManager.default.contents(atPath: "\(store)/\(name)")
        }
        return files
    }

    private func keyFile(_ digits: String, _ sandbox: Sandbox) throws -> String {
        let file = try sandbox.write(String(repeating: digits, count: 32), to: "key-\(digits)")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        return file
    }

    /// Returns command lines of every command that takes a key.
    private func lines(_ sandbox: Sandbox) throws -> [[String]] {
        let input = try sandbox.write("{\"k\":1}\n", to: "x.ndjson")
        let operations = try sandbox.write(
            #"{"op":"set","namespace":"n","key":"k","value":1}"# + "\n", to: "operations.ndjson")
        let store = sandbox.store
        return [
            ["batch", store, operations], ["get", store, "n", "k"], ["get", store, "n", "k", "--reveal"],
            ["get", store, "n", "k", "--raw", "--reveal"],
            ["scan", store, "n"], ["scan", store, "n", "--reveal"], ["put", store, "n", "k", "--encrypted"],
            ["put", store, "n", "new", "--create", "--encrypted"], ["put", store, "n", "k"],
            ["import", store, "n", input, "--key", "k", "--encrypted"],
            ["import", store, "new", input, "--key", "k", "--encrypted", "--synced"],
            ["touch", store, "n", "k", "--purgeable"], ["options", store, "n", "--purgeable"],
            ["query", store, "n", "--reveal"], ["collections", store],
            ["copy", store, "n", "--to", "rados:p/n"], ["copy", store, "n", "--from", "rados:p/n"],
            ["diff", store, store], ["keys", "check", store], ["keys", "change-data", store],
        ]
    }

    @Test func noCommandWrites() throws {
        let sandbox = try Sandbox()
        let right = try keyFile("5a", sandbox)
        let wrong = try keyFile("00", sandbox)
        var options = Store.Options()
        options.encryption = .aes256GCM(.file(right))
        let store = try Store(at: sandbox.store, options: options)
        try store.common["n"].set("hidden", forKey: "k", options: .encrypted)
        try store.engine.flush()
        try store.common["n"].set("logged", forKey: "l", options: .encrypted)
        try store.close()
        let before = try content(of: sandbox.store)
        for line in try lines(sandbox) {
            for (source, environment) in [
                (["--key-file", wrong], [:]), (["--key-env", "K"], ["K": String(repeating: "00", count: 32)]),
                (["--key-file", "\(sandbox.path)/none"], [:]), (["--passphrase-fd", "0"], [:]),
                ([], ["SHALE_KEY": String(repeating: "00", count: 32)]),
            ] as [([String], [String: String])] {
                let done = try sandbox.run(line + source, input: "words\n", environment: environment)
                #expect(done.status == 4, "\(line) \(source): \(done.errors)")
                #expect(done.output.isEmpty && !done.errors.contains("hidden"))
                let after = try content(of: sandbox.store)
                let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
                #expect(changed.isEmpty, "\(line) \(source) changed \(changed.sorted())")
            }
        }
    }

    @Test func everyCommandThatTakesAKeyIsAmongThem() throws {
        let sandbox = try Sandbox()
        let tested = Set(try lines(sandbox).map { $0[0] })
        let children =
            ShaleCommand.configuration.subcommands
            + ShaleCommand.configuration.groupedSubcommands.flatMap(\.subcommands)
        let commands = children.map { $0._commandName }
        #expect(commands.count > 20)
        // The key of "restore" is that of a stream, and not of a store: BackupStreamCommandTests.
        for command in commands.filter({ $0 != "restore" }) {
            guard try sandbox.shale(command, "--help").output.contains("--key-file") else { continue }
            #expect(tested.contains(command), "shale \(command)")
        }
    }
}
