import Foundation
import Testing

@testable import ShaleCommand

/// Files that a command creates are readable only by this user, are not created through links, and are
/// whole or absent (ShaleInspection.docc, "The command").
@Suite(.timeLimit(.minutes(5)))
struct OutputFileTests {
    private let files = FileManager.default

    private func mode(_ path: String) throws -> Int {
        try #require(try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    private func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.write("{\"k\":1}\n", to: "x.ndjson")
        #expect(try sandbox.shale("put", sandbox.store, "n", "k", "v", "--create").status == 0)
        return sandbox
    }

    /// The commands that create a file; its name follows.
    private func makers(_ sandbox: Sandbox) -> [[String]] {
        [
            ["report", sandbox.store, "-o"],
            ["import", sandbox.store, "n", "\(sandbox.path)/x.ndjson", "--key", "k", "--ack-file"],
        ]
    }

    @Test func theyAreClosedToOthersWhateverTheUmask() throws {
        let sandbox = try sandbox()
        for (number, maker) in makers(sandbox).enumerated() {
            let file = "\(sandbox.path)/made-\(number)"
            #expect(try sandbox.run(maker + [file]).status == 0)
            #expect(try mode(file) == 0o600)
        }
        let old = try sandbox.write("old", to: "old")
        try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: old)
        #expect(try sandbox.shale("report", sandbox.store, "-o", old).status == 0)
        #expect(try mode(old) == 0o600, "a report replaces the file")
        #expect(try files.contentsOfDirectory(atPath: sandbox.path).allSatisfy { !$0.hasPrefix(".shale-") })
    }

    @Test func linksAreNotFollowedNorOtherThingsReplaced() throws {
        let sandbox = try sandbox()
        let victim = try sandbox.write("precious", to: "victim")
        let place = { (name: String) in "\(sandbox.path)/\(name)" }
        try files.createSymbolicLink(atPath: place("link"), withDestinationPath: victim)
        try files.createSymbolicLink(atPath: place("dangling"), withDestinationPath: place("nobody"))
        try #require(unsafe mkfifo(place("pipe"), 0o600) == 0)
        try files.createDirectory(atPath: place("directory"), withIntermediateDirectories: false)
        for maker in makers(sandbox) {
            for name in ["link", "dangling", "pipe", "directory", "none/x", "directory/"] {
                let done = try sandbox.run(maker + [place(name)])
                #expect(done.status == 5, "\(maker[0]) \(name): \(done.errors)")
            }
        }
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
        #expect(!files.fileExists(atPath: place("nobody")))
        #expect(try files.destinationOfSymbolicLink(atPath: place("link")) == victim)
    }

    @Test func aFileWithAnotherNameIsNotAppendedTo() throws {
        let sandbox = try sandbox()
        let victim = try sandbox.write("precious", to: "victim")
        try files.linkItem(atPath: victim, toPath: "\(sandbox.path)/hard")
        let append = makers(sandbox)[1] + ["\(sandbox.path)/hard"]
        #expect(try sandbox.run(append).status == 5)
        #expect(try sandbox.shale("report", sandbox.store, "-o", "\(sandbox.path)/hard").status == 0)
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
    }

    @Test func aReportThatCanNotBeWrittenLeavesTheOldOne() throws {
        let sandbox = try sandbox()
        let old = try sandbox.write("old", to: "old")
        // The file size limit is 0, so the write fails.
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c", "ulimit -f 0; trap '' XFSZ; exec \"$@\"", "sh", Sandbox.command.path, "report", sandbox.store, "-o",
            old,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 5)
        #expect(try String(contentsOfFile: old, encoding: .utf8) == "old")
        #expect(try files.contentsOfDirectory(atPath: sandbox.path).allSatisfy { !$0.hasPrefix(".shale-") })
    }
}
