// The three storages of SSStorageNode: a node has values and files, a keychain is separate. All of them have the same
// two calls: setItem(_:forKey:) is `set`, item(forKey:as:) is `value`.
import ExampleSupport
import Foundation
import ShaleKit

enum Level: String, Codable { case normal, vip }
struct User: Codable, Equatable { var name: String, age: Int, level: Level }

/// The counterpart of the original's ViewController.
struct Screen {
    static let willSaveStringKeyDefault = "willSaveStringKeyDefault"
    static let willSaveStringKey = "willSaveStringKey"
    static let willSaveKeyChainKey = "willSaveKeyChainKey"

    let storageNode: Node
    let keychainStorage: VaultStorage

    /// These throw. In the original, a property was nil for every error.
    func willSaveStringDefault() throws -> String? { try storageNode.values[Screen.willSaveStringKeyDefault] }
    func willSaveString() throws -> String? { try storageNode.files[Screen.willSaveStringKey] }
    func keychainStr() throws -> String? { try keychainStorage[Screen.willSaveKeyChainKey] }
}

@main
struct StorageNodes {
    static func main() throws {
        try withTemporaryDirectory { directory in
            let store = try Store(at: directory + "/store")
            try KeySource.makeKeyFile(at: directory + "/key")
            let vault = try Vault(at: directory + "/vault", keys: .file(directory + "/key"))
            let root = Node(
                NamespaceStorage(store.common["nodes"], of: store), try FileStorage(at: directory + "/files"))
            // SSBaseStorageNode(name: "SSAppService"), SSKeychainStorage(service:)
            let screen = Screen(
                storageNode: root.child("SSAppService"), keychainStorage: VaultStorage(vault, service: "app"))

            try saveAndRead(screen)
            try models(screen)
            try names(screen, directory + "/files")
            try remove(root, screen)
            try vault.close()
            try store.close()
        }
    }

    static func saveAndRead(_ screen: Screen) throws {
        expect(try screen.willSaveStringDefault() == nil, "nothing is saved yet")
        try screen.storageNode.values.set("saved in defaults", forKey: Screen.willSaveStringKeyDefault)
        try screen.storageNode.files.set("saved in a file", forKey: Screen.willSaveStringKey)
        try screen.keychainStorage.set("saved in the keychain", forKey: Screen.willSaveKeyChainKey)
        let read = [try screen.willSaveStringDefault(), try screen.willSaveString(), try screen.keychainStr()]
        expect(read == ["saved in defaults", "saved in a file", "saved in the keychain"], "each has its own: \(read)")
        for text in read { print(text ?? "nil") }
    }

    /// Numbers, dates, data, enums and models, in all three.
    static func models(_ screen: Screen) throws {
        let user = User(name: "Ada", age: 36, level: .vip)
        let storages: [any CodableStorage] = [
            screen.storageNode.values, screen.storageNode.files, screen.keychainStorage,
        ]
        for storage in storages {
            try storage.set(user, forKey: "user")
            try storage.set(7, forKey: "int")
            try storage.set(Level.normal, forKey: "level")
            try storage.set(Data([0, 1]), forKey: "data")
            expect(try storage.value(forKey: "user", as: User.self) == user, "a model")
            expect(try storage["int"] == 7 && storage["level"] == Level.normal, "values at the top")
            expect(try storage["data"] == Data([0, 1]), "data as it is")
            print("\(type(of: storage)): \(try storage.keys().count) keys")
        }
    }

    /// The original drops keys with a dot, and lets `../x` out of its directory.
    static func names(_ screen: Screen, _ folder: String) throws {
        for key in ["a.b", "../x", "/etc/passwd", "\0", "👩‍👩‍👧"] {
            try screen.storageNode.files.set(key, forKey: key)
            expect(try screen.storageNode.files[key] == key, "any text is a key")
        }
        let top = try FileManager.default.contentsOfDirectory(atPath: folder)
        expect(top == ["nodes"], "and nothing left its place: \(top)")
    }

    static func remove(_ root: Node, _ screen: Screen) throws {
        try root.child("Other").values.set(1, forKey: "k")
        try screen.storageNode.values.set(nil as String?, forKey: Screen.willSaveStringKeyDefault)
        expect(try screen.willSaveStringDefault() == nil, "nil removes")
        // Clears the whole node, and nothing else. In the original, the root clears the folder of all applications.
        try screen.storageNode.truncateSubtree()
        expect(try screen.willSaveString() == nil, "everything of the node is gone")
        expect(try root.child("Other").values["k"] == 1, "other nodes are not")
        expect(try screen.keychainStr() == "saved in the keychain", "nor is the keychain")
        print("the node was cleared; the keychain still has: \(try screen.keychainStr() ?? "nil")")
    }
}
