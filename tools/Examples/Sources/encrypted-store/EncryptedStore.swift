// Values that can't be read from the files alone: what is encrypted, what is not, and what happens without the key.
import ExampleSupport
import Foundation
import ShaleEncryption

@main
struct EncryptedStore {
    static func main() throws {
        try withTemporaryDirectory { directory in
            // 32 random bytes in a file that only this user can read. Keep a copy in another place: if the key is lost,
            // the values can't be recovered.
            let key = directory + "/store.key"
            try KeySource.makeKeyFile(at: key)

            let path = directory + "/store"
            try write(path, key)
            try lookAtTheFiles(path)
            try openWithoutTheKey(path, directory + "/other.key")
            try changeTheKey(path, key, directory + "/new.key")
        }
    }

    static func options(_ keyFile: String) -> Store.Options {
        var options = Store.Options()
        options.encryption = .aes256GCM(.file(keyFile))
        return options
    }

    static func write(_ path: String, _ key: String) throws {
        let store = try Store(at: path, options: options(key))

        // One value...
        let notes = store.common["notes"]
        try notes.set("buy more tea, nobody must know", forKey: "list", options: .encrypted)
        try notes.set("this may be read by everybody", forKey: "poster")

        // ... or all values of a namespace, unless one says otherwise.
        let accounts = store.user("ada")["accounts"]
        try accounts.setOptions(NamespaceOptions(isEncrypted: true))
        try accounts.set("correct horse battery staple", forKey: "passphrase")

        // Reading needs no option.
        expect(try accounts.string(forKey: "passphrase") == "correct horse battery staple", "it reads as it was")
        expect(try accounts.info(forKey: "passphrase")?.isEncrypted == true, "the namespace encrypts by default")
        try store.close()
    }

    static func lookAtTheFiles(_ path: String) throws {
        let bytes = try allBytes(path)
        func isThere(_ text: String) -> Bool { bytes.range(of: Data(text.utf8)) != nil }
        expect(isThere("this may be read by everybody"), "what is not encrypted stands in the files")
        expect(!isThere("more tea") && !isThere("battery"), "no file holds encrypted values")
        // So don't put secrets into keys and names.
        expect(isThere("passphrase") && isThere("ada"), "keys and names are not hidden")
        print("\(bytes.count) bytes of files hold keys and names, and no encrypted value")
    }

    static func openWithoutTheKey(_ path: String, _ otherKey: String) throws {
        // A wrong key is an error when the store is opened, and changes nothing.
        try KeySource.makeKeyFile(at: otherKey)
        let wrong = errorCode { () throws(StorageError) in
            _ = try Store(at: path, options: options(otherKey))
        }
        expect(wrong == .wrongKey, "another key is refused")

        // Without a key the store serves the values that are not encrypted. Reading others is an error, never
        // "missing".
        let store = try Store(at: path)
        let notes = store.common["notes"]
        expect(try notes.string(forKey: "poster") != nil, "plain values need no key")
        expect(try notes.contains("list"), "an encrypted value is still there")
        let refused = errorCode { () throws(StorageError) in _ = try notes.string(forKey: "list") }
        expect(refused == .cipherMismatch, "but it is not read")
        print("another key: \(wrong?.rawValue ?? "-"); no key: \(refused?.rawValue ?? "-")")
        try store.close()
    }

    static func changeTheKey(_ path: String, _ key: String, _ newKey: String) throws {
        let store = try Store(at: path, options: options(key))
        // The new key is in its place before the store uses it: until the call returns only the old key opens the
        // store, afterwards only the new one.
        try KeySource.makeKeyFile(at: newKey)
        try store.changeMasterKey(to: KeySource.file(newKey))
        // A party that had both the old key and the files may know the data keys. They can be changed too.
        let change = try store.user("ada")["accounts"].changeDataKey()
        expect(change.rewritten == 1, "every value of the namespace was encrypted anew")
        try store.close()

        let old = errorCode { () throws(StorageError) in _ = try Store(at: path, options: options(key)) }
        expect(old == .wrongKey, "the old key opens the store no more")
        let reopened = try Store(at: path, options: options(newKey))
        let accounts = reopened.user("ada")["accounts"]
        expect(try accounts.string(forKey: "passphrase") != nil, "the new key does")

        // Removing a namespace or a user destroys its keys: a copy of a segment can't be decrypted any more.
        try reopened.removeUser("ada")
        expect(try !accounts.exists, "the user is gone, and the key of everything it had")
        print("the master key was changed, \(change.rewritten) value encrypted anew, a user removed with its keys")
        try reopened.close()
    }

    static func allBytes(_ path: String) throws -> Data {
        var bytes = Data()
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            if let contents = FileManager.default.contents(atPath: path + "/" + name) { bytes += contents }
        }
        return bytes
    }

    static func errorCode(_ body: () throws(StorageError) -> Void) -> StorageError.Code? {
        do throws(StorageError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }
}
