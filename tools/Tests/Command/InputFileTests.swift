import Foundation
import Shale
import ShaleEncryption
import Testing

@testable import ShaleCommand

/// A command reads only regular files, and refuses everything else at once
/// (ShaleInspection.docc, "The command").
///
/// No pipe, device, directory or link makes a command hang, or is read as a secret.
@Suite(.timeLimit(.minutes(5)))
struct InputFileTests {
    /// Returns the paths of files that are not regular.
    private func odd(_ sandbox: Sandbox) throws -> [String] {
        let pipe = "\(sandbox.path)/pipe"
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        try FileManager.default.createDirectory(
            atPath: "\(sandbox.path)/directory", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        return [pipe, "\(sandbox.path)/directory", "/dev/zero", "/dev/tty"]
    }

    @Test func inputThatIsNotARegularFileIs5() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.shale("put", sandbox.store, "n", "k", "v", "--create").status == 0)
        for file in try odd(sandbox) {
            for line in [
                ["import", sandbox.store, "n", file, "--input-format", "ndjson", "--key", "k"],
                ["import", sandbox.store, "n", file, "--input-format", "plist"],
                ["put", sandbox.store, "n", "k", "--file", file], ["load", "\(sandbox.path)/new", file],
            ] {
                let done = try sandbox.run(line)
                #expect(done.status == 5, "\(line): \(done.errors)")
                #expect(done.errors.contains(file))
            }
        }
        #expect(!FileManager.default.fileExists(atPath: "\(sandbox.path)/new"))
    }

    @Test func aCompressedListThatIsNoFileIs5Too() throws {
        let sandbox = try Sandbox()
        try #require(unsafe mkfifo("\(sandbox.path)/Packages.gz", 0o600) == 0)
        #expect(try sandbox.shale("import", sandbox.store, "n", "\(sandbox.path)/Packages.gz").status == 5)
    }

    @Test func aLinkToAFileAndADescriptorThatWasGivenAreRead() throws {
        let sandbox = try Sandbox()
        let file = try sandbox.write("{\"k\":1}\n", to: "x.ndjson")
        try FileManager.default.createSymbolicLink(atPath: "\(sandbox.path)/l.ndjson", withDestinationPath: file)
        #expect(try sandbox.shale("import", sandbox.store, "n", "\(sandbox.path)/l.ndjson", "--key", "k").status == 0)
        let given = ["import", sandbox.store, "n", "/dev/fd/0", "--input-format", "ndjson", "--key", "k"]
        #expect(try sandbox.run(given, input: "{\"k\":2}\n").status == 0)
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--count").output == "2\n")
    }

    @Test func aPassphraseComesFromAClosedRegularFileOfThisUserAndNothingElse() throws {
        let sandbox = try Sandbox()
        var options = Store.Options()
        options.encryption = .aes256GCM(.passphrase("horse", costs: try ScryptCosts(rounds: 1 << 10)))
        let store = try Store(at: sandbox.store, options: options)
        try store.common["n"].set("hidden", forKey: "k", options: .encrypted)
        try store.close()
        let good = try sandbox.write("horse\n", to: "good")
        let files = FileManager.default
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: good)
        try files.createSymbolicLink(atPath: "\(sandbox.path)/link", withDestinationPath: good)
        let get = ["get", sandbox.store, "n", "k", "--reveal", "--passphrase-file"]
        #expect(try sandbox.run(get + [good]).output == "hidden\n")
        var refused = try odd(sandbox) + ["\(sandbox.path)/link", "\(sandbox.path)/none"]
        for mode in [0o640, 0o604, 0o660] {
            let open = try sandbox.write("horse\n", to: "open-\(mode)")
            try files.setAttributes([.posixPermissions: mode], ofItemAtPath: open)
            refused.append(open)
        }
        if geteuid() == 0 {
            let foreign = try sandbox.write("horse\n", to: "foreign")
            try files.setAttributes(
                [.posixPermissions: 0o600, .ownerAccountID: 65534], ofItemAtPath: foreign)
            refused.append(foreign)
        }
        for file in refused {
            let done = try sandbox.run(get + [file])
            #expect(done.status == 4 && done.output.isEmpty, "\(file): \(done.errors)")
            #expect(done.errors.contains("passphrase file"))
        }
    }

    @Test func costsThatNoStoreHasAreDamage() throws {
        // log2 N = 31, r and p of 255, 2^9 rounds; then a salt.
        for costs in [[31, 8, 1], [17, 255, 1], [17, 8, 255], [22, 32, 16], [9, 8, 1], [17, 0, 1]] as [[UInt8]] {
            let parameters = [1] + costs + [UInt8](repeating: 7, count: 32)
            let failure = #expect(throws: StorageError.self) { try KeySource.passphrase("x").key(for: parameters) }
            #expect(failure?.exitStatus == .corruption, "\(costs)")
        }
    }
}
