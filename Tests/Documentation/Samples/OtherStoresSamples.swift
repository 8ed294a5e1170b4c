import Foundation
import ShaleFoundation
import Testing

extension Keys { static let hasSeenTour = Key<Bool>("hasSeenTour", default: false) }

final class Player: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let name: String

    init(name: String) { self.name = name }

    init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
        self.name = name as String
    }

    func encode(with coder: NSCoder) { coder.encode(name as NSString, forKey: "name") }
}

@Suite struct OtherStoresSamples {
    @Test func userDefaultsAreImported() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        let file = place.path + "/com.example.app.plist"
        let old: [String: Any] = ["hasSeenTour": true, "name": "Ada"]
        try PropertyListSerialization.data(fromPropertyList: old, format: .binary, options: 0)
            .write(to: URL(fileURLWithPath: file))
        let settings = store.common["settings"]
        let report = try settings.importUserDefaults(at: file)
        for entry in report.entries { print(entry.key, entry.outcome) }
        let hasSeenTour = try settings.value(for: .hasSeenTour)
        #expect(hasSeenTour && report.importedCount == 2)
        try store.close()
    }

    @Test func keyedArchivesAreImported() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        let file = place.path + "/ada.archive"
        try NSKeyedArchiver.archivedData(withRootObject: Player(name: "Ada"), requiringSecureCoding: true)
            .write(to: URL(fileURLWithPath: file))
        let players = store.common["players"]
        _ = try players.importKeyedArchive(at: file, forKey: "ada")
        try players.setArchived(Player(name: "Ben"), forKey: "ben")
        let player = try players.archived(Player.self, forKey: "ada")  // lists further classes in `allowing:`
        #expect(player?.name == "Ada")
        try store.close()
    }

    @Test func everythingElseIsImported() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        /// Copies the values of another store under `keys`, once.
        func migrate(_ keys: [String], reading read: (String) -> Data?) throws {
            let namespace = store.common["settings"]
            guard try !namespace.contains("migrated") else { return }
            try store.write(durability: .synced) { batch in
                for key in keys { try batch.set(read(key), forKey: key, in: namespace) }
                try batch.set(true, forKey: "migrated", in: namespace)
            }
        }
        try migrate(["a", "b"]) { $0 == "a" ? Data([1]) : nil }
        #expect(try store.common["settings"].data(forKey: "a") == Data([1]))
        #expect(try !store.common["settings"].contains("b"))
        try store.close()
    }
}
