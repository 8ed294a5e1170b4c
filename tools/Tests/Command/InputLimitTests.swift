import Foundation
import Testing

@testable import ShaleCommand

/// Input of any kind has a limit. Larger input is refused with code 65 before memory is allocated
/// for it, and the error names the limit.
///
/// The tests limit the address space; the command itself needs a third of it (ShaleInspection.docc, "The command").
@Suite(.timeLimit(.minutes(5)))
struct InputLimitTests {
    private func expectRefused(
        _ line: [String], _ words: String, _ sandbox: Sandbox, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "ulimit -v 1500000; exec \"$@\"", "sh", Sandbox.command.path] + line
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 65, "\(text.suffix(300))", sourceLocation: sourceLocation)
        #expect(text.contains(words), "\(text.suffix(300))", sourceLocation: sourceLocation)
    }

    private func importing(_ file: String, _ format: String, _ sandbox: Sandbox) -> [String] {
        ["import", sandbox.store, "n", file, "--input-format", format, "--key", "k", "--quiet"]
    }

    private let mebibyte = String(repeating: "x", count: 1 << 20)
    private let longer = "longer than 33554432 bytes"

    #if os(Linux)
        @Test func linesAndElementsAreLimited() throws {
            let sandbox = try Sandbox()
            let long = String(repeating: mebibyte, count: 40)
            let line = try sandbox.write("{\"k\":\"\(long)\"}\n", to: "line")
            try expectRefused(importing(line, "ndjson", sandbox), longer, sandbox)
            let element = try sandbox.write("[{\"k\":\"\(long)\"}]", to: "element")
            try expectRefused(importing(element, "json", sandbox), longer, sandbox)
            let member = try sandbox.write("{\"a\":\"\(long)\",\"b\":[]}", to: "member")
            try expectRefused(importing(member, "json", sandbox), longer, sandbox)
            let value = try sandbox.write(long, to: "value")
            try expectRefused(["put", sandbox.store, "n", "k", "--file", value, "--create"], longer, sandbox)
        }

        @Test func stanzasAreLimitedAsTextAndAsJSON() throws {
            let sandbox = try Sandbox()
            let lines = String(repeating: " \(mebibyte)\n", count: 40)
            let continued = try sandbox.write("k: a\nD: x\n\(lines)", to: "continued")
            try expectRefused(importing(continued, "control", sandbox), longer, sandbox)
            let many = (0..<40).map { "F\($0): \(mebibyte)\n" }.joined()
            let fields = try sandbox.write("k: a\n\(many)", to: "fields")
            try expectRefused(importing(fields, "control", sandbox), longer, sandbox)
            // JSON escapes each of these characters in six characters.
            let controls = " " + String(repeating: "\u{1}", count: 1 << 20) + "\n"
            let escaped = try sandbox.write("k: a\nD: x\n" + String(repeating: controls, count: 7), to: "escaped")
            try expectRefused(importing(escaped, "control", sandbox), longer, sandbox)
            let names = try sandbox.write("k: a\n" + String(repeating: "F:\n", count: 70_000), to: "names")
            try expectRefused(importing(names, "control", sandbox), "more than 65536 fields", sandbox)
        }

        @Test func jsonDocumentsAreLimited() throws {
            let sandbox = try Sandbox()
            let members = "{" + String(repeating: "\"\":0,", count: 70_000) + "\"k\":1}\n"
            let object = try sandbox.write(members, to: "object")
            try expectRefused(importing(object, "ndjson", sandbox), "more than 65536 members", sandbox)
            let deep = try sandbox.write("{\"k\":" + String(repeating: "[", count: 1_000_000), to: "deep")
            try expectRefused(importing(deep, "ndjson", sandbox), "nested deeper than 64", sandbox)
            let put = ["put", sandbox.store, "n", "k", "--type", "json", "--create", "--file"]
            let values = try sandbox.write("[" + String(repeating: "0,", count: 1_000_000) + "0]", to: "values")
            try expectRefused(put + [values], "more than 1000000 values", sandbox)
            try expectRefused(put + [deep], "nested deeper than 64", sandbox)
        }

        @Test func propertyListsThatExpandAreLimited() throws {
            let sandbox = try Sandbox()
            let data: [UInt8] = [0x4f, 0x12, 0, 1, 0, 0] + [UInt8](repeating: 0, count: 65_536)
            let shared = try list([array(of: 65_000), data], "shared", sandbox)
            try expectRefused(importing(shared, "plist", sandbox), "more than 67108864 bytes", sandbox)
            let large: [UInt8] = [0x5f, 0x12, 0, 16, 0, 0] + Array(mebibyte.utf8)
            let strings = try list([array(of: 1000), large], "strings", sandbox)
            try expectRefused(importing(strings, "plist", sandbox), "more than 67108864 bytes", sandbox)
            let objects = try list([array(of: 1_000_001), [0x09]], "objects", sandbox)
            try expectRefused(importing(objects, "plist", sandbox), "more than 1000000 objects", sandbox)
        }

        @Test func propertyListsInXMLAreLimited() throws {
            let sandbox = try Sandbox()
            let tags = String(repeating: "<a/>", count: 1_000_001)
            let objects = try sandbox.write("<plist><array>\(tags)</array></plist>", to: "objects")
            try expectRefused(importing(objects, "plist", sandbox), "more than 1000000 objects", sandbox)
            let long = try sandbox.write("<plist>" + String(repeating: mebibyte, count: 65), to: "long")
            try expectRefused(importing(long, "plist", sandbox), "longer than 67108864 bytes", sandbox)
        }
    #endif

    /// Returns an array of `count` references to the object behind it.
    private func array(of count: Int) -> [UInt8] {
        let size = (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
        return [0xaf, 0x12] + size + [UInt8](repeating: 1, count: count)
    }

    private func list(_ objects: [[UInt8]], _ name: String, _ sandbox: Sandbox) throws -> String {
        func number(_ value: Int, _ width: Int) -> [UInt8] {
            (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - $0))) }
        }
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += number(offset, 4) }
        bytes += [0, 0, 0, 0, 0, 0, 4, 1] + number(objects.count, 8) + number(0, 8) + number(table, 8)
        return try sandbox.write(Data(bytes), to: name)
    }
}
