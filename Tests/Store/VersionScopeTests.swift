import Shale
import TestSupport
import Testing

/// Namespaces that belong to one version of the application.
@Suite struct VersionScopeTests {
    private func fixture(_ version: String?) throws -> StoreFixture {
        let fixture = try StoreFixture()
        try fixture.reopen { $0.appVersion = version }
        try fixture["cache"].setOptions(NamespaceOptions(isPurgeable: true, isVersionScoped: true))
        try fixture["cache"].set(1, forKey: "k")
        try fixture["cache"].child("c").set(1, forKey: "k")
        try fixture["kept"].set(1, forKey: "k")
        return fixture
    }

    @Test func anotherVersionEmptiesTheNamespaceAndNothingElse() throws {
        let fixture = try fixture("1.0")
        try fixture.reopen { $0.appVersion = "1.1" }
        #expect(try fixture["cache"].count() == 0)
        #expect(try fixture["cache"].options == NamespaceOptions(isPurgeable: true, isVersionScoped: true))
        #expect(try fixture["cache"].child("c").int(forKey: "k") == 1)
        #expect(try fixture["kept"].int(forKey: "k") == 1)
    }

    @Test func theSameVersionKeepsIt() throws {
        let fixture = try fixture("1.0")
        try fixture.reopen()
        #expect(try fixture["cache"].int(forKey: "k") == 1)
        try fixture.reopen { $0.appVersion = "1.1" }
        try fixture["cache"].set(2, forKey: "k")
        try fixture.reopen()
        #expect(try fixture["cache"].int(forKey: "k") == 2)
    }

    @Test func goingBackToAnOlderVersionEmptiesItToo() throws {
        let fixture = try fixture("1.1")
        try fixture.reopen { $0.appVersion = "1.0" }
        #expect(try fixture["cache"].count() == 0)
    }

    @Test func withoutAVersionNothingIsEmptied() throws {
        let fixture = try fixture("1.0")
        try fixture.reopen { $0.appVersion = nil }
        #expect(try fixture["cache"].int(forKey: "k") == 1)
        try fixture.reopen { $0.appVersion = "1.0" }
        #expect(try fixture["cache"].int(forKey: "k") == 1)
    }

    @Test func aNamespaceScopedWithoutAVersionIsEmptiedByTheFirst() throws {
        let fixture = try fixture(nil)
        try fixture.reopen { $0.appVersion = "1.0" }
        #expect(try fixture["cache"].count() == 0)
    }

    @Test func readersEmptyNothing() throws {
        let fixture = try fixture("1.0")
        try fixture.store.sync()
        var options = fixture.options
        options.appVersion = "2.0"
        options.engine.mode = .readOnly
        let reader = try Store(at: fixture.path, options: options)
        #expect(try reader.common["cache"].int(forKey: "k") == 1)
        try reader.close()
    }

    @Test func twoVersionsInOneProcessAreRefused() throws {
        let fixture = try fixture("1.0")
        var options = fixture.options
        options.appVersion = "2.0"
        #expect(code { () throws(StorageError) in try Store(at: fixture.path, options: options) } == .invalidArgument)
        #expect(try fixture["cache"].int(forKey: "k") == 1)
    }

    @Test func aVersionThatIsTooLongClosesWhatItOpened() throws {
        let fixture = try fixture("1.0")
        try fixture.store.close()
        var options = fixture.options
        options.appVersion = String(repeating: "1", count: 256)
        #expect(code { () throws(StorageError) in try Store(at: fixture.path, options: options) } == .invalidArgument)
        try fixture.reopen()
        #expect(try fixture["cache"].int(forKey: "k") == 1)
    }
}
