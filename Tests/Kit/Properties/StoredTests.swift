import ShaleKit
import TestSupport
import Testing

private struct Preferences: Sendable {
    @Stored<String, Store.Namespace> var theme: String
    @Stored<String, Store.Namespace> var title: String
    @Stored<String?, Store.Namespace> var note: String?
    @Stored<String?, Store.Namespace> var session: String?
    @Stored<[Int], Store.Namespace> var cache: [Int]
    @Stored<[Double], Store.Namespace> var ratios: [Double]

    init(_ settings: Store.Namespace) {
        _theme = Stored(.theme, in: settings)
        _title = Stored(wrappedValue: "none", "title", in: settings)
        _note = Stored("note", in: settings, options: .purgeable)
        _session = Stored(.session, in: settings)
        _cache = Stored(.cache, in: settings)
        _ratios = Stored(.ratios, in: settings)
    }
}

/// A program's own globals: the forms in which properties are declared.
private enum App {
    /// One store for the declarations of this file.
    static let settings: Store.Namespace = {
        do {
            return try Store.inMemory().common["settings"]
        } catch {
            preconditionFailure("\(error)")
        }
    }()
    static let shared = Shared()
}

private struct Shared {
    @Stored(.theme, in: App.settings) var theme
    @Stored("volume", in: App.settings) var volume = 0.8
    @Stored("name", in: App.settings) var name: String?
    @Stored("nick", in: App.settings) var nick: String? = nil
    @Stored("colour", in: App.settings, options: [.purgeable, .expires(after: .seconds(60))]) var colour: String? =
        "red"
}

private final class Model {
    @Stored(.count, in: App.settings.child("model")) var count
}

@MainActor private enum Screen {
    @Stored("zoom", in: App.settings.child("screen")) static var zoom = 1.5
}

/// Properties that are values of a namespace.
@Suite struct StoredTests {
    @Test func aPropertyIsTheValueOfItsKey() throws {
        let fixture = try PropertyFixture()
        let preferences = Preferences(fixture.settings)
        #expect(preferences.theme == "light" && preferences.title == "none" && preferences.note == nil)
        #expect(try fixture.settings.count() == 0, "reading stores nothing")
        preferences.theme = "dark"
        preferences.title = "t"
        #expect(try fixture.settings.value(for: .theme) == "dark")
        #expect(try fixture.settings.string(forKey: "title") == "t")
        try fixture.settings.set("blue", for: .theme)
        #expect(preferences.theme == "blue")
        #expect(Preferences(fixture.settings).title == "t", "all copies share the value")
        #expect(fixture.store.health.isGood)
    }

    @Test func nilRemovesAValue() throws {
        let fixture = try PropertyFixture()
        let preferences = Preferences(fixture.settings)
        preferences.note = "n"
        #expect(preferences.note == "n")
        preferences.note = nil
        #expect(try preferences.note == nil && !fixture.settings.contains("note"))
    }

    @Test func anOptionalPropertyWithAnInitialValueReturnsToIt() throws {
        let shared = App.shared
        #expect(shared.nick == nil && shared.colour == "red")
        shared.nick = "n"
        shared.colour = "blue"
        #expect(shared.nick == "n" && shared.colour == "blue")
        shared.nick = nil
        shared.colour = nil
        #expect(shared.nick == nil && shared.colour == "red")
        #expect(try !App.settings.contains("nick") && !App.settings.contains("colour"))
    }

    @Test func optionsApplyToEachWrite() throws {
        let fixture = try PropertyFixture()
        let preferences = Preferences(fixture.settings)
        preferences.session = "s"
        preferences.cache = [1]
        preferences.note = "n"
        preferences.theme = "dark"
        try fixture.store.purge(.all)
        #expect(preferences.cache == [] && preferences.note == nil && preferences.theme == "dark")
        #expect(preferences.session == "s")
        fixture.time.advance(milliseconds: 10_000)
        #expect(preferences.session == nil)
    }

    @Test func anErrorIsRecordedAndTheProjectionThrowsIt() throws {
        let fixture = try PropertyFixture()
        let preferences = Preferences(fixture.settings)
        try fixture.settings.set(7, forKey: "theme")
        #expect(preferences.theme == "light")
        let health = fixture.store.health
        #expect(health.failedReads == 1 && health.failures.map(\.error.code) == [.typeMismatch])
        #expect(health.failures.map(\.path) == [["settings"]])
        #expect(code { () throws(StorageError) in try preferences.$theme.get() } == .typeMismatch)
        try preferences.$theme.set("dark")
        #expect(preferences.theme == "dark")
    }

    @Test func aFailedWriteIsRecordedAndStoresNothing() throws {
        let fixture = try PropertyFixture()
        let preferences = Preferences(fixture.settings)
        preferences.ratios = [.nan]
        #expect(preferences.ratios == [1])
        #expect(fixture.store.health.failedWrites == 1)
        #expect(code { () throws(StorageError) in try preferences.$ratios.set([.nan]) } == .codecFailure)
    }

    @Test func theProjectionHasKeyRemovalAndObservation() async throws {
        let fixture = try PropertyFixture()
        let preferences = Preferences(fixture.settings)
        #expect(try preferences.$theme.key.name == "theme")
        var values = try preferences.$theme.values().makeAsyncIterator()
        #expect(try await values.next() == "light")
        preferences.theme = "dark"
        #expect(try await values.next() == "dark")
        try preferences.$theme.remove()
        #expect(try await values.next() == "light")
        #expect(preferences.theme == "light")
    }

    @Test func structsClassesStaticsAndLocalVariablesMayHaveThem() async throws {
        #expect(App.shared.theme == "light" && App.shared.volume == 0.8 && App.shared.name == nil)
        App.shared.volume = 0.5
        #expect(try App.settings.value(forKey: "volume", as: Double.self) == 0.5)
        let model = Model()
        model.count += 1
        #expect(Model().count == 1)
        await MainActor.run { Screen.zoom = 2 }
        #expect(try App.settings.child("screen").double(forKey: "zoom") == 2)
        @Stored("local", in: App.settings) var local = 3
        local += 1
        #expect(try App.settings.int(forKey: "local") == 4)
    }

    @Test func manyThreadsMayUseThem() async throws {
        let fixture = try PropertyFixture()
        let preferences = Preferences(fixture.settings)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for _ in 0..<20 {
                        preferences.title = "\(number)"
                        #expect(preferences.title.count == 1)
                    }
                }
            }
        }
        #expect(fixture.store.health.isGood)
    }
}
