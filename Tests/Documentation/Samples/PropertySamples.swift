import Observation
import ShaleKit
import Testing

extension Keys { static let volume = Key<Double>("volume", default: 0.8) }

struct Preferences: Sendable {
    @Stored(.volume, in: App.settings) var volume
    @Stored("language", in: App.settings) var language = "en"
    @Stored("banner", in: App.settings, options: .expires(after: .seconds(3600))) var banner: String?
    @Stored("draft", in: App.store.currentUserNamespace("mail")) var draft: String?
}

enum App {
    static let store = openStore()
    static let settings = store.common["settings"]
    static let preferences = Preferences()
}

func louder() throws {
    App.preferences.volume += 0.1  // an error is in App.store.health
    try App.preferences.$volume.set(1)  // and is thrown here
    try App.preferences.$banner.remove()
}

final class Window {
    @Stored<Double, Store.Namespace> var zoom: Double

    init(_ store: Store) { _zoom = Stored(wrappedValue: 1, "zoom", in: store.common["window"]) }
}

@MainActor final class PlayerModel {
    let volume = ObservableValue(.volume, in: App.settings)
    let letters = ObservableEntries(prefix: "2026-", in: App.store.currentUserNamespace("letters"), as: String.self)

    func mute() { volume.value = 0 }  // written through; an error is in volume.error
    func unmute() throws { try volume.set(0.8) }
}

/// A store in memory, as a program's tests have it.
private func openStore() -> Store {
    do {
        return try Store.inMemory()
    } catch {
        preconditionFailure("\(error)")
    }
}

@Suite(.serialized) struct PropertySamples {
    @Test func propertiesAreValuesOfTheStore() throws {
        try App.settings.remove(.volume)
        App.preferences.banner = "sale"
        App.preferences.draft = "lost"
        #expect(App.preferences.language == "en" && App.preferences.banner == "sale")
        #expect(App.store.health.failures.map(\.error.code) == [.noCurrentUser])
        try louder()
        #expect(try App.settings.value(for: .volume) == 1)
        #expect(App.preferences.banner == nil)
        let window = Window(App.store)
        window.zoom *= 2
        #expect(try App.store.common["window"].double(forKey: "zoom") == 2)
    }

    @Test @MainActor func aModelFollowsTheStore() async throws {
        try App.settings.set(0.4, for: .volume)
        try App.store.user("ada")["letters"].set("Dear Ben", forKey: "2026-1")
        try App.store.signIn("ada")
        let model = PlayerModel()
        #expect(model.volume.value == 0.4)
        model.mute()
        #expect(try App.settings.value(for: .volume) == 0)
        try model.unmute()
        while model.letters.entries.isEmpty { await Task.yield() }
        #expect(model.letters.entries.map(\.value) == ["Dear Ben"])
        App.store.signOut()
    }
}
