#if Encryption
    import Foundation
    import Shale
    import ShaleEncryption
    import Testing

    // What README.md shows of encryption, but for the place of the key file.
    private func encrypted(directory: String, keyFile: String) throws {
        var options = StoreOptions()
        options.encryption = .aes256GCM(.file(keyFile))  // made by KeySource.makeKeyFile(at:)
        let store = try Store(at: directory, options: options)
        try store.user("u1")["tokens"].set("secret", forKey: "api", .encrypted)
        try store.close()
    }

    @Suite struct ReadmeExampleTests {
        private static let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

        @Test func theExampleDoesWhatItShows() throws {
            let place = FileManager.default.temporaryDirectory.path + "/shale-readme-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: place) }
            try KeySource.makeKeyFile(at: place + "/key")
            try encrypted(directory: place + "/store", keyFile: place + "/key")
            var options = StoreOptions()
            options.encryption = .aes256GCM(.file(place + "/key"))
            let store = try Store(at: place + "/store", options: options)
            #expect(try store.user("u1")["tokens"].string(forKey: "api") == "secret")
            try store.close()
        }

        @Test func theExampleIsTheOneThatIsCompiledHere() throws {
            let readme = try String(
                contentsOf: ReadmeExampleTests.root.appendingPathComponent("README.md"), encoding: .utf8)
            let blocks = readme.components(separatedBy: "```swift\n").compactMap {
                $0.components(separatedBy: "```").first
            }
            let block = try #require(blocks.last { $0.contains("import ShaleEncryption") })
            let source = try String(contentsOfFile: #filePath, encoding: .utf8)
            for line in block.split(separator: "\n") where !line.hasPrefix("import") && !line.hasPrefix("//") {
                let line = line.replacing("\"/etc/app/store.key\"", with: "keyFile")
                    .replacing("(directory: String)", with: "(directory: String, keyFile: String)")
                #expect(source.contains(line), "\(line)")
            }
        }
    }
#endif
