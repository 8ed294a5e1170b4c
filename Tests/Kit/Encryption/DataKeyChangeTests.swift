#if Encryption
    import Foundation
    import ShaleEncryption
    import TestSupport
    import Testing

    @testable import Shale

    /// Changing a data key: all values end under the new key, with progress, cancellation and resumption.
    @Suite struct DataKeyChangeTests {
        private func fill(_ namespace: Store.Namespace) throws {
            for index in 0..<300 {
                try namespace.set("v\(index)", forKey: "k\(index)", options: .encrypted)
                try namespace.set(index, forKey: "plain\(index)")
            }
            try namespace.set("p", forKey: "purgeable", options: [.encrypted, .purgeable])
            try namespace.set("e", forKey: "expires", options: [.encrypted, .expires(after: .seconds(9))])
        }

        private func dataKey(_ key: String, _ fixture: EncryptedFixture) throws -> UInt8 {
            try fixture.stored(key, in: fixture["n"])[3]
        }

        private func check(_ fixture: EncryptedFixture, key: UInt8) throws {
            for index in 0..<300 {
                #expect(try fixture["n"].value(forKey: "k\(index)", as: String.self) == "v\(index)")
                #expect(try fixture["n"].value(forKey: "plain\(index)", as: Int.self) == index)
                #expect(try dataKey("k\(index)", fixture) == key)
            }
        }

        @Test func everyValueEndsUnderTheNewKey() throws {
            let fixture = try EncryptedFixture()
            try fill(fixture["n"])
            let old = try fixture.stored("k1", in: fixture["n"])
            var fractions: [Double] = []
            let report = try fixture["n"].changeDataKey { (step) in fractions.append(step.fraction) }
            #expect(report == KeyChangeReport(rewritten: 302, isResumed: false))
            #expect(fractions.count > 5 && fractions == fractions.sorted() && fractions.last == 1)
            #expect(try !fixture["n"].hasUnfinishedKeyChange)
            try check(fixture, key: 2)
            try fixture.reopen()
            try check(fixture, key: 2)
            // The old key is gone.
            try fixture.plant(old, forKey: "k1", in: fixture["n"])
            #expect(
                code { () throws(StorageError) in try fixture["n"].object(forKey: "k1") } == .authenticationFailed)
            let info = try #require(try fixture["n"].info(forKey: "purgeable"))
            #expect(info.isPurgeable && info.isEncrypted)
            fixture.time.advance(milliseconds: 9000)
            #expect(try fixture["n"].value(forKey: "expires", as: String.self) == nil)
        }

        @Test func aCancelledChangeIsResumed() throws {
            let fixture = try EncryptedFixture()
            try fill(fixture["n"])
            #expect(
                code { () throws(StorageError) in
                    try fixture["n"].changeDataKey { (step) throws(StorageError) in
                        if step.rewritten > 50 { throw StorageError(.cancelled, "enough") }
                    }
                } == .cancelled)
            #expect(try fixture["n"].hasUnfinishedKeyChange)
            for index in 0..<300 {
                #expect(try fixture["n"].value(forKey: "k\(index)", as: String.self) == "v\(index)")
            }
            try fixture.reopen()
            for index in 0..<300 {
                #expect(try fixture["n"].value(forKey: "k\(index)", as: String.self) == "v\(index)")
            }
            let report = try fixture["n"].changeDataKey()
            #expect(report.isResumed && report.rewritten > 0 && report.rewritten < 302)
            try check(fixture, key: 2)
            #expect(try fixture["n"].changeDataKey() == KeyChangeReport(rewritten: 302, isResumed: false))
            try check(fixture, key: 3)
        }

        @Test func scansThatBeganBeforeContinue() throws {
            let fixture = try EncryptedFixture()
            try fill(fixture["n"])
            let walk = fixture["n"].entries(prefix: "k").cursor()
            let first = try #require(try walk.next())
            try fixture["n"].changeDataKey()
            try fixture.store.engine.flush()
            try fixture.store.engine.compact()
            #expect(try first.value(as: String.self) == "v0")
            var count = 1
            while let entry = try walk.next() {
                _ = try entry.value(as: String.self)
                count += 1
            }
            #expect(count == 300)
        }

        @Test func anUnreadableValueKeepsItsKey() throws {
            let fixture = try EncryptedFixture()
            try fill(fixture["n"])
            var stored = try fixture.stored("k7", in: fixture["n"])
            let good = stored
            stored[40] ^= 1
            try fixture.plant(stored, forKey: "k7", in: fixture["n"])
            #expect(
                code { () throws(StorageError) in try fixture["n"].changeDataKey() } == .authenticationFailed)
            try fixture.plant(good, forKey: "k7", in: fixture["n"])
            #expect(try fixture["n"].value(forKey: "k7", as: String.self) == "v7")
            #expect(try fixture["n"].changeDataKey().isResumed)
            try check(fixture, key: 2)
        }

        @Test func nothingHappensWithoutKeys() async throws {
            let fixture = try EncryptedFixture()
            let none = try await fixture["none"].changeDataKey(progress: { _ in })
            #expect(none == KeyChangeReport(rewritten: 0, isResumed: false))
            try fixture["plain"].set(1, forKey: "k")
            let report = try await fixture["plain"].changeDataKey(progress: { _ in })
            #expect(report == KeyChangeReport(rewritten: 0, isResumed: false))
            try fixture["n"].set(1, forKey: "k", options: .encrypted)
            let other = try await fixture["n"].changeDataKey(progress: { _ in })
            #expect(other == KeyChangeReport(rewritten: 1, isResumed: false))
        }

        @Test func anotherCiphersValuesAreTakenOver() throws {
            let fixture = try EncryptedFixture(
                StoreEncryption(cipher: CustomCipherTests.Padded(), keys: KeySource.key(TestKeys.first)))
            try fixture["n"].set("v", forKey: "k", options: .encrypted)
            try fixture.reopen(
                .aes256GCM(.key(TestKeys.first), otherCiphers: [CustomCipherTests.Padded()]))
            #expect(try fixture["n"].changeDataKey().rewritten == 1)
            try fixture.store.changeMasterKey(to: KeySource.key(TestKeys.first))
            // No value needs the other cipher any more.
            try fixture.reopen(.first)
            #expect(try fixture["n"].value(forKey: "k", as: String.self) == "v")
        }
    }
#endif
