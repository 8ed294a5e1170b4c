#if Encryption
    import Foundation
    import ShaleEncryption
    import TestSupport
    import Testing

    /// The powers of an attacker with write access to the files, so that no caller relies on the
    /// contrary.
    ///
    /// The tests follow the sentences of ShaleEncryption.docc, "What an attacker can do".
    @Suite struct AttackerTests {
        @Test func valuesMayBeRemovedAndReplacedInTheClear() throws {
            let fixture = try EncryptedFixture()
            let home = fixture["home"]
            try home.set("secret", forKey: "a", options: .encrypted)
            try home.set("secret", forKey: "b", options: .encrypted)
            try fixture.plant([ValueCodec.string.rawValue, 0] + Array("forged".utf8), forKey: "a", in: home)
            try home.remove("b")
            try fixture.reopen()
            #expect(try fixture["home"].value(forKey: "a", as: String.self) == "forged")
            #expect(try fixture["home"].value(forKey: "b", as: String.self) == nil)
        }

        @Test func namesAndKeysAreThereToRead() throws {
            let fixture = try EncryptedFixture()
            try fixture.store.user("ada")["mailbox"].set("hidden", forKey: "subject", options: .encrypted)
            try fixture.reopen()
            let files = try FileManager.default.subpathsOfDirectory(atPath: fixture.path)
                .compactMap { FileManager.default.contents(atPath: fixture.path + "/" + $0) }
            for text in ["ada", "mailbox", "subject"] {
                #expect(files.contains { $0.range(of: Data(text.utf8)) != nil }, "\(text)")
            }
            #expect(!files.contains { $0.range(of: Data("hidden".utf8)) != nil })
        }

        /// An attacker can restore older options of a namespace together with its data keys.
        @Test func olderOptionsAreTaken() throws {
            let fixture = try EncryptedFixture()
            let engine = fixture.store.engine
            let name: [UInt8] = [1, 4, 0] + Array("home".utf8)
            try fixture["home"].set("secret", forKey: "k", options: .encrypted)
            let old = try #require(engine.namespace(named: name))
            try fixture["home"].setOptions(NamespaceOptions(isEncrypted: true))
            try engine.setOptions(old.options, of: old.id)
            try fixture.reopen()
            #expect(try fixture["home"].value(forKey: "k", as: String.self) == "secret")
            try fixture["home"].set("clear", forKey: "l")
            let stored = try fixture.stored("l", in: fixture["home"])
            #expect(stored == [2, 0] + Array("clear".utf8))
        }

        @Test func anOlderValueAtItsKeyIsServed() throws {
            let fixture = try EncryptedFixture()
            let home = fixture["home"]
            try home.set("old", forKey: "k", options: .encrypted)
            let old = try fixture.stored("k", in: home)
            try home.set("new", forKey: "k", options: .encrypted)
            try fixture.plant(old, forKey: "k", in: home)
            #expect(try home.value(forKey: "k", as: String.self) == "old")
            // After a change of the data key, the old value is refused.
            try home.changeDataKey()
            try fixture.reopen()
            try fixture.plant(old, forKey: "k", in: fixture["home"])
            #expect(
                code { () throws(StorageError) in try fixture["home"].object(forKey: "k") } == .authenticationFailed)
        }

        @Test func aNamespaceMayBeRemoved() throws {
            let fixture = try EncryptedFixture()
            try fixture["home"].setOptions(NamespaceOptions(isEncrypted: true))
            try fixture["home"].set("secret", forKey: "k")
            let name: [UInt8] = [1, 4, 0] + Array("home".utf8)
            let found = try #require(fixture.store.engine.namespace(named: name))
            try fixture.store.engine.drop([found.id])
            try fixture.reopen()
            try fixture["home"].set("clear", forKey: "k")
            #expect(try fixture.stored("k", in: fixture["home"]) == [2, 0] + Array("clear".utf8))
            // An application that sets the options at every start, or encrypts with each call, is not affected.
            try fixture["home"].set("sealed", forKey: "l", options: .encrypted)
            try fixture["home"].setOptions(NamespaceOptions(isEncrypted: true))
            try fixture["home"].set("sealed", forKey: "k")
            for key in ["k", "l"] { #expect(try fixture.stored(key, in: fixture["home"])[1] == 1) }
        }
    }
#endif
