// Settings of an application: each has a name, a type and a default, declared in one place.
import ExampleSupport
import Shale

// Any type that is `Codable` can be a setting.
enum Theme: String, Codable, Sendable { case light, dark }

// The default is declared with the key, not at each place that reads it.
extension Keys {
    static let volume = Key<Double>("volume", default: 0.8)
    static let theme = Key<Theme>("theme", default: .light)
    static let launches = Key<Int>("launches", default: 0)
}

// An optional type needs no default: a missing key is nil, and setting nil removes the key.
extension Keys { static let nickname = Key<String?>("nickname") }

@main
struct SettingsWithTypedKeys {
    static func main() throws {
        try withTemporaryDirectory { directory in
            try firstLaunch(directory + "/store")
            try secondLaunch(directory + "/store")
            try anotherTypeIsNoDefault(directory + "/store")
        }
    }

    static func firstLaunch(_ path: String) throws {
        let store = try Store(at: path)
        let settings = store.common["settings"]

        // Nothing is stored yet. Reading a default stores nothing either.
        expect(try settings.value(for: .volume) == 0.8, "a missing key reads as its default")
        expect(try settings.value(for: .nickname) == nil, "a missing key without a default is nil")
        expect(try !settings.contains(.volume), "reading stores nothing")

        // These calls throw if there is an error.
        try settings.set(0.3, for: .volume)
        try settings.set(Theme.dark, for: .theme)

        // Subscripts are for code that continues after an error: the store's health records it.
        settings[.nickname] = "Ada"
        settings[.launches] += 1
        expect(store.health.isGood, "no subscript has failed")

        print("first launch: volume \(settings[.volume]), theme \(settings[.theme])")
        try store.close()
    }

    static func secondLaunch(_ path: String) throws {
        let store = try Store(at: path)
        let settings = store.common["settings"]
        expect(try settings.value(for: .volume) == 0.3, "settings outlast the process")
        expect(try settings.value(for: .theme) == .dark, "an enum comes back as what it was")
        expect(try settings.value(for: .nickname) == "Ada", "what a subscript set is there")

        // Adding one is a read and a write. With several threads it needs a transaction, so that no addition is lost.
        try store.transaction { transaction in
            let launches = try transaction.value(for: .launches, in: settings)
            try transaction.set(launches + 1, for: .launches, in: settings)
        }
        expect(settings[.launches] == 2, "both launches were counted")

        try settings.set(nil, for: .nickname)
        expect(try !settings.contains(.nickname), "setting nil removes")

        // Settings of a user have a space of their own, with the same keys.
        let own = store.user("ada")["settings"]
        try own.set(1.0, for: .volume)
        expect(try settings.value(for: .volume) == 0.3, "a user's setting is nobody else's")
        print("second launch: volume \(settings[.volume]), for Ada \(own[.volume])")
        try store.close()
    }

    static func anotherTypeIsNoDefault(_ path: String) throws {
        let store = try Store(at: path)
        let settings = store.common["settings"]

        // Another part of the program stores text under the name of a number.
        try settings.set("loud", forKey: "volume")
        do throws(StorageError) {
            let volume = try settings.value(for: .volume)
            expect(false, "text was read as the number \(volume)")
        } catch {
            expect(error.code == .typeMismatch, "the error says that another type is stored: \(error)")
            print("an error, and not the default: \(error)")
        }

        // A subscript has to return a value. The store's health shows that the value is not a stored one.
        expect(settings[.volume] == 0.8, "a subscript gives the default instead of an error")
        expect(store.health.failedReads == 1, "the store's health knows of it")
        try store.close()
    }
}
