import Foundation
import Testing

/// Only a few files of the command write to a descriptor. All other code uses `Terminal`, which accepts only `Shown`.
@Suite struct OutputRuleTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/shale").standardizedFileURL

    /// Calls that write, and the files that may contain them.
    private static let writers: [(text: String, files: Set<String>)] = [
        (
            "writeFully(",
            ["Terminal.swift", "OutputFile.swift", "Acknowledgements.swift", "HiddenInput.swift"]
        ),
        ("STDOUT_FILENO", ["Terminal.swift", "ImportCommand.swift"]),
        ("STDERR_FILENO", ["Terminal.swift", "ByteStream.swift"]),
        ("unsafe write(", ["Terminal.swift"]),
        (" print(", ["Terminal.swift"]), ("FileHandle", []), ("fputs", []), ("puts(", []),
        ("exit(withError", ["ShaleCommand.swift"]),
        ("stringLiteral:", ["Shown.swift"]), ("safe:", ["Shown.swift"]), ("O_CREAT", ["OutputFile.swift"]),
        ("unsafe open(", ["InputFile.swift", "OutputFile.swift", "HiddenInput.swift"]),
    ]

    @Test func onlyTheseFilesWriteToDescriptorsOrMakeFiles() throws {
        let names = try #require(FileManager.default.enumerator(atPath: Self.sources.path))
        var count = 0
        for case let name as String in names where name.hasSuffix(".swift") {
            count += 1
            let text = try String(contentsOf: Self.sources.appending(path: name), encoding: .utf8)
            let file = String(name.split(separator: "/").last ?? "")
            for (word, files) in Self.writers where !files.contains(file) {
                #expect(!text.contains(word), "\(name) has \"\(word)\"")
            }
        }
        #expect(count > 50)
    }
}
