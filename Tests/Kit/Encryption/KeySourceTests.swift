#if Encryption
    import Foundation
    import ShaleEncryption
    import TestSupport
    import Testing

    /// Keys from a file, a passphrase, the environment, or a closure.
    @Suite struct KeySourceTests {
        private let folder = FileManager.default.temporaryDirectory.path + "/shale-keys-\(UUID().uuidString)"

        private func inFolder(_ body: () throws -> Void) throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { remove(folder) }
            try body()
        }

        private func failure(_ source: KeySource) -> StorageError.Code? {
            code { () throws(StorageError) in try source.key(for: []) }
        }

        @Test func aKeyFileIsMadeOnceAndRead() throws {
            try inFolder {
                let path = folder + "/key"
                #expect(failure(.file(path)) == .missingKey)
                try KeySource.makeKeyFile(at: path)
                #expect(code { () throws(StorageError) in try KeySource.makeKeyFile(at: path) } != nil)
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == 0o600 && attributes[.size] as? Int == 32)
                let fixture = try EncryptedFixture(.aes256GCM(.file(path)))
                try fixture["n"].set(1, forKey: "k", options: .encrypted)
                try fixture.reopen()
                #expect(try fixture["n"].value(forKey: "k", as: Int.self) == 1)
            }
        }

        @Test(arguments: [0o640, 0o604, 0o666, 0o610]) func aKeyFileThatOthersCanUseIsRefused(_ mode: Int) throws {
            try inFolder {
                let path = folder + "/key"
                try KeySource.makeKeyFile(at: path)
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
                #expect(failure(.file(path)) == .missingKey)
            }
        }

        @Test func linksFoldersAndOtherLengthsAreRefused() throws {
            try inFolder {
                let path = folder + "/key"
                try KeySource.makeKeyFile(at: path)
                try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: path)
                #expect(failure(.file(folder + "/link")) == .missingKey)
                #expect(failure(.file(folder)) == .missingKey)
                for text in [
                    "", String(repeating: "a", count: 31), String(repeating: "x", count: 64),
                    String(repeating: "a", count: 66),
                ] {
                    let file = folder + "/text"
                    #expect(
                        FileManager.default.createFile(
                            atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]))
                    #expect(failure(.file(file)) == .missingKey, "\(text.count)")
                }
            }
        }

        @Test func hexadecimalDigitsAreTheSameKeyEverywhere() throws {
            try inFolder {
                let digits = String(repeating: "01", count: 32)
                let path = folder + "/key"
                #expect(
                    FileManager.default.createFile(
                        atPath: path, contents: Data((digits + "\n").utf8), attributes: [.posixPermissions: 0o600]))
                let name = "SHALE_TEST_KEY_\(UInt32.random(in: 0 ... .max))"
                #expect(failure(.environment(name)) == .missingKey)
                #expect(unsafe setenv(name, digits, 1) == 0)
                defer { unsafe unsetenv(name) }
                let fixture = try EncryptedFixture(.first)
                try fixture["n"].set(1, forKey: "k", options: .encrypted)
                for source in [KeySource.file(path), .environment(name), .callback { TestKeys.first }] {
                    try fixture.reopen(.aes256GCM(source))
                    #expect(try fixture["n"].value(forKey: "k", as: Int.self) == 1)
                }
                #expect(unsafe setenv(name, "short", 1) == 0)
                #expect(failure(.environment(name)) == .missingKey)
            }
        }

        @Test func aPassphraseIsStretchedWithTheStoresOwnSalt() throws {
            let costs = try ScryptCosts(rounds: 1 << 10)
            let fixture = try EncryptedFixture(.aes256GCM(.passphrase("correct horse", costs: costs)))
            try fixture["n"].set(1, forKey: "k", options: .encrypted)
            // The costs that the store records count, not the costs in this call.
            try fixture.reopen(.aes256GCM(.passphrase("correct horse")))
            #expect(try fixture["n"].value(forKey: "k", as: Int.self) == 1)
            try fixture.store.close()
            var options = fixture.options
            options.encryption = .aes256GCM(.passphrase("Correct horse"))
            #expect(code { () throws(StorageError) in try Store(at: fixture.path, options: options) } == .wrongKey)
            options.encryption = .first
            #expect(code { () throws(StorageError) in try Store(at: fixture.path, options: options) } == .wrongKey)
            try fixture.reopen()
            let one = try KeySource.passphrase("p", costs: costs).makeParameters()
            let other = try KeySource.passphrase("p", costs: costs).makeParameters()
            #expect(one != other && one.count == 36)
        }

        @Test func costsHaveBounds() {
            #expect(code { () throws(StorageError) in try ScryptCosts(rounds: 1000) } == .invalidArgument)
            #expect(
                code { () throws(StorageError) in try ScryptCosts(rounds: 1 << 22, blockSize: 8) } == .invalidArgument)
            #expect(
                code { () throws(StorageError) in try ScryptCosts(rounds: 1 << 14, blockSize: 0) } == .invalidArgument)
            #expect(
                code { () throws(StorageError) in try KeySource.passphrase("p").key(for: [1, 31, 8, 1]) } == .wrongKey)
        }
    }
#endif
