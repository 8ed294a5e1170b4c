import Foundation
import Shale
import ShalePlatform
import TestSupport
import Testing

private struct Account: Codable, Sendable, Equatable {
    var balance = 0
    var owner = ""
}
private struct Refusal: Error {}

extension Keys {
    fileprivate static let visits = Key<Int>("visits", default: 10, options: .purgeable)
    fileprivate static let names = Key<[String]>("names", default: [])
    fileprivate static let note = Key<String?>("note")
}

/// Changes that read, change and write one value.
@Suite struct ValueUpdateTests {
    @Test func aMissingKeyBeginsWithTheDefault() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.update(forKey: "a", default: Account()) { $0.balance += 20 }
        #expect(try namespace.value(forKey: "a", as: Account.self) == Account(balance: 20))
        let balance = try namespace.update(forKey: "a", default: Account()) { account in
            account.balance += 1
            return account.balance
        }
        #expect(balance == 21)
    }

    @Test func anUpdateKeepsExpiryFlagsAndFormat() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(
            Account(balance: 1), forKey: "a", as: .propertyList,
            options: [.purgeable, .expires(after: .seconds(1 * 3600))])
        let before = try #require(try namespace.info(forKey: "a"))
        fixture.time.advance(milliseconds: 600_000)
        try namespace.update(forKey: "a", default: Account()) { $0.balance += 1 }
        let after = try #require(try namespace.info(forKey: "a"))
        #expect(after.isPurgeable && after.expiresAt == before.expiresAt && after.codec == .propertyList)
        try namespace.update(forKey: "a", default: Account(), options: [.neverExpires, .notPurgeable]) {
            $0.balance += 1
        }
        let changed = try #require(try namespace.info(forKey: "a"))
        #expect(!changed.isPurgeable && changed.expiresAt == nil)
        #expect(try namespace.value(forKey: "a", as: Account.self) == Account(balance: 3))
    }

    @Test func anErrorOfTheBodyWritesNothing() throws {
        let fixture = try StoreFixture()
        #expect(throws: Refusal.self) {
            try fixture["n"].update(forKey: "a", default: 1) { value in
                value = 2
                throw Refusal()
            }
        }
        #expect(try !fixture["n"].contains("a"))
    }

    @Test func typedKeysAreUpdated() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.update(for: .names) { $0.append("ada") }
        #expect(try namespace.value(for: .names) == ["ada"])
        try namespace.update(for: .note) { $0 = "x" }
        #expect(try namespace.value(for: .note) == "x")
        try namespace.update(for: .note) { $0 = nil }
        #expect(try !namespace.contains(.note))
        #expect(try namespace.increment(for: .visits) == 11)
        #expect(try namespace.info(forKey: "visits")?.isPurgeable == true)
        try namespace.touch(.notPurgeable, for: .visits)
        #expect(try namespace.increment(for: .visits, by: -1) == 10)
        #expect(try namespace.info(forKey: "visits")?.isPurgeable == false)
    }

    @Test func incrementsAddAndReturn() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        #expect(try namespace.increment(forKey: "k") == 1)
        #expect(try namespace.increment(forKey: "k", by: 5) == 6)
        #expect(try namespace.increment(forKey: "k", by: -10) == -4)
        #expect(try namespace.increment(forKey: "u", by: UInt64.max) == .max)
        #expect(try namespace.value(forKey: "u", as: UInt64.self) == .max)
    }

    @Test func anOverflowIsAnErrorAndWritesNothing() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(Int8(127), forKey: "k")
        #expect(code { () throws(StorageError) in try namespace.increment(forKey: "k", by: 1 as Int8) } == .overflow)
        #expect(try namespace.int(forKey: "k") == 127)
        try namespace.set(Int.max, forKey: "m")
        #expect(code { () throws(StorageError) in try namespace.increment(forKey: "m") } == .overflow)
        try namespace.set(1000, forKey: "w")
        #expect(
            code { () throws(StorageError) in try namespace.increment(forKey: "w", by: 1 as Int8) } == .typeMismatch)
        try namespace.set("text", forKey: "t")
        #expect(code { () throws(StorageError) in try namespace.increment(forKey: "t") } == .typeMismatch)
    }

    @Test func touchChangesOnlyTheOptionsThatItNames() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(Account(owner: "ada"), forKey: "a", as: .propertyList, options: [.purgeable])
        let payload = try #require(try namespace.payload(forKey: "a"))
        #expect(try namespace.touch(.expires(after: .seconds(1800)), forKey: "a"))
        let info = try #require(try namespace.info(forKey: "a"))
        #expect(info.isPurgeable && info.expiresAt != nil && info.codec == .propertyList)
        let touched = try #require(try namespace.payload(forKey: "a"))
        #expect(touched.codec == payload.codec && touched.bytes == payload.bytes)
        #expect(try namespace.touch([.neverExpires, .notPurgeable], forKey: "a"))
        let last = try #require(try namespace.info(forKey: "a"))
        #expect(!last.isPurgeable && last.expiresAt == nil)
    }

    @Test func touchOfAMissingKeyMakesNothing() throws {
        let fixture = try StoreFixture()
        #expect(try !fixture["n"].touch(.purgeable, forKey: "a"))
        #expect(try !fixture["n"].exists)
        #expect(
            code { () throws(StorageError) in try fixture["n"].touch(.notEncrypted, forKey: "a") } == .invalidArgument)
    }

    @Test func touchExtendsTheLifeOfAnEntry() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "a", options: .expires(after: .seconds(60)))
        fixture.time.advance(milliseconds: 50_000)
        try namespace.touch(.expires(after: .seconds(60)), forKey: "a")
        fixture.time.advance(milliseconds: 50_000)
        #expect(try namespace.contains("a"))
        fixture.time.advance(milliseconds: 11_000)
        #expect(try !namespace.contains("a"))
        #expect(try !namespace.touch(.neverExpires, forKey: "a"))
    }

    @Test func transactionsUpdateIncrementAndTouch() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try fixture.store.transaction { transaction in
            #expect(try transaction.increment(forKey: "k", in: namespace) == 1)
            #expect(try transaction.increment(forKey: "k", in: namespace, options: .purgeable) == 2)
            #expect(try transaction.increment(for: .visits, in: namespace) == 11)
            try transaction.update(forKey: "a", in: namespace, default: Account()) { $0.owner = "ada" }
            try transaction.update(for: .names, in: namespace) { $0.append("x") }
            #expect(try transaction.touch(.expires(after: .seconds(60)), forKey: "a", in: namespace))
            #expect(try transaction.touch(.notPurgeable, for: .visits, in: namespace))
        }
        #expect(try namespace.int(forKey: "k") == 2)
        #expect(try namespace.info(forKey: "k")?.isPurgeable == true)
        #expect(try namespace.info(forKey: "a")?.expiresAt != nil)
        #expect(try namespace.info(forKey: "visits")?.isPurgeable == false)
    }

    @Test func noChangeOfManyThreadsIsLost() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        let threads = 8
        let rounds = 200
        try namespace.set(Account(), forKey: "a", options: .purgeable)
        let failures = Locked<[String]>([])
        let running = try (0..<threads).map { thread in
            try WorkerThread.start(name: "test") {
                do {
                    for round in 0..<rounds {
                        try namespace.increment(forKey: "k")
                        try namespace.update(forKey: "a", default: Account()) { $0.balance += 1 }
                        if round % 10 == 0 {
                            try namespace.touch(.expires(after: .seconds((1 + thread) * 3600)), forKey: "a")
                            try namespace.set(round, forKey: "\(thread)")
                        }
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        for thread in running { thread.join() }
        #expect(failures.withLock { $0 }.isEmpty)
        #expect(try namespace.int(forKey: "k") == threads * rounds)
        #expect(try namespace.value(forKey: "a", as: Account.self)?.balance == threads * rounds)
        let info = try #require(try namespace.info(forKey: "a"))
        #expect(info.isPurgeable && info.expiresAt != nil)
    }
}
