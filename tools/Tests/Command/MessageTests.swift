import Foundation
import Shale
import Testing

@testable import ShaleCommand

/// Messages about errors, and messages about a single thing.
@Suite struct MessageTests {
    private func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        try store.common["one"].set("value", forKey: "k")
        try store.engine.flush()
        try store.close()
        return sandbox
    }

    @Test func oneIsOneEntry() throws {
        let sandbox = try sandbox()
        #expect(try sandbox.shale("verify", sandbox.store).output.hasPrefix("1 file, "))
        #expect(try sandbox.shale("verify", sandbox.store).output.contains(", 1 entry read in "))
        #expect(try sandbox.shale("drop", sandbox.store, "one", "--dry-run").output.contains("1 namespace, 1 entry ("))
    }

    @Test func aMissingSegmentIsCalledMissingFromItsBeginningOn() throws {
        let sandbox = try sandbox()
        let segments = sandbox.store + "/segments/"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: segments).first)
        try FileManager.default.removeItem(atPath: segments + name)
        let verified = try sandbox.shale("verify", sandbox.store)
        #expect(verified.status == 2)
        #expect(verified.output.hasPrefix("the store could not be opened; checked in "))
        #expect(verified.output.contains("lost: segments/\(name) at 0, "))
        #expect(verified.output.contains(": the file is missing; 1 entry from namespace 1 k to namespace 1 k"))
    }

    @Test func nothingFoundIsNothingPrinted() throws {
        let sandbox = try sandbox()
        let found = try sandbox.shale("find", sandbox.store, "one", "other")
        #expect(found.status == 1 && found.output.isEmpty)
        #expect(found.errors == "shale: there is no version of this key in one\n")
        #expect(try sandbox.shale("find", sandbox.store, "one", "other", "--json").output.contains(#""versions":[]"#))
    }

    @Test func theErrorForAKeyFileThatOthersCanReadNamesTheMode() throws {
        let sandbox = try sandbox()
        let file = try sandbox.write(String(repeating: "0f", count: 32), to: "key")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let put = try sandbox.run(["put", sandbox.store, "s", "k", "--encrypted", "--key-file", file], input: "x")
        #expect(put.status == 4)
        #expect(put.errors.contains("that belongs to this user, with mode 0600"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        #expect(
            try sandbox.run(["put", sandbox.store, "s", "k", "--encrypted", "--key-file", file], input: "x").status == 0
        )
    }

    @Test func backupsDoNotRememberWhatTheyCopied() throws {
        let sandbox = try sandbox()
        let backups = sandbox.path + "/backups"
        let made = try sandbox.shale("backup", "create", sandbox.store, backups, "--format", "csv").output
        #expect(made.split(separator: "\n").last?.hasSuffix(",1,") == false)
        let listed = try sandbox.shale("backup", "list", backups, "--format", "csv").output
        #expect(listed.split(separator: "\n").last?.hasSuffix(",,") == true)
    }

    #if os(Linux)
        @Test func aFullDiskIsReportedOnce() throws {
            let sandbox = try sandbox()
            let process = Process()
            process.executableURL = Sandbox.command
            process.arguments = ["dump", sandbox.store]
            process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
            let errors = Pipe()
            process.standardError = errors
            try process.run()
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 5)
            #expect(text == "shale: ioFailure: standard output: write: No space left on device\n")
        }
    #endif

    @Test func namesCanNotSendCommandsToATerminal() throws {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        try store.user("\u{1b}u")["a\u{1b}[2J\u{9b}2J\nb"].set("v", forKey: "k\u{9b}1m")
        try store.close()
        for arguments in [["stats"], ["namespaces"], ["big"], ["inspect", "manifest"]] {
            let shown = try sandbox.run(arguments + [sandbox.store])
            #expect(shown.status == 0)
            #expect(shown.output.contains(#"a\x1b[2J\xc2\x9b2J\nb"#), "\(arguments): \(shown.output)")
            let controls = shown.output.unicodeScalars.filter {
                $0.properties.generalCategory == .control && $0 != "\n"
            }
            #expect(controls.isEmpty, "\(arguments)")
        }
        #expect(try sandbox.shale("big", sandbox.store).output.contains(#"k\xc2\x9b1m"#))
    }

    @Test func aJSONErrorSaysWhatTheSystemSaid() throws {
        let sandbox = try Sandbox()
        let missing = try sandbox.shale("stats", sandbox.path + "/none", "--json")
        #expect(missing.status == 5 && missing.output.isEmpty)
        #expect(missing.errors.contains(#""cause":"open "#) && missing.errors.contains("No such file or directory"))
    }

    @Test func deniedAccessEndsLikeAHeldLock() {
        let refused = StorageError(.locked, "open failed", cause: IOFailure("open", "x", EACCES))
        #expect(refused.exitStatus == .locked)
        let held = StorageError(.locked, "held", cause: IOFailure("lock", "x", EWOULDBLOCK))
        #expect(held.exitStatus == .locked)
    }
}
