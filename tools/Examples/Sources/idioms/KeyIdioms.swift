import ExampleSupport
import Shale

// Keys are constants: static ones, made at their first use.
extension Keys {
    static let launches = Key<Int>("launches", default: 0)
    static let nickname = Key<String?>("nickname")
    static let colour = Key<String?>("colour", default: "red")
    static let tags = Key<Set<String>>("tags", default: [], options: .purgeable)
}

/// The ways in which programs declare and use typed keys.
enum KeyIdioms {
    /// A part of a program has keys of its own, which no other part sees as `.zoom`.
    enum WindowKeys {
        static let zoom = Key<Double>("window/zoom", default: 1)
    }

    static func run(_ settings: Store.Namespace) throws {
        let local = Key<Bool>("local", default: false)
        settings[local].toggle()
        expect(settings[local], "a local constant")
        settings[.launches] += 1
        settings[.tags].insert("new")
        settings[WindowKeys.zoom] *= 2
        expect(settings[.launches] == 1 && settings[.tags] == ["new"] && settings[WindowKeys.zoom] == 2, "changes")

        settings[.nickname] = "Ada"
        if let nickname = settings[.nickname] { expect(nickname == "Ada", "if let") }
        guard let name = try settings.value(for: .nickname), !name.isEmpty else { return expect(false, "guard let") }
        settings[.nickname] = nil
        expect(try !settings.contains(.nickname), "nil removes")
        expect(settings[.colour]?.count == 3, "an optional with a default")
        switch settings[.launches] {
        case 0: expect(false, "the launch was counted")
        case 1...: break
        default: expect(false, "no negative number")
        }
    }

    /// A function of any key.
    static func reset<Value>(_ key: Key<Value>, in settings: Store.Namespace) throws -> Value {
        try settings.remove(key)
        return try settings.value(for: key)
    }

    static func generic(_ settings: Store.Namespace) throws {
        expect(try reset(.launches, in: settings) == 0, "its default")
        expect(try reset(.tags, in: settings).isEmpty, "its default")
    }
}
