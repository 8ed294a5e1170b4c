// The calls of the mPaaS preferences. A value has a key and a business, and is common or belongs to the current user.
// Numbers with defaults, strings, property lists, archived and reflected objects, one getter for all; encryption;
// purge.
import ExampleSupport
import Foundation
import ShaleEncryption
import ShaleFoundation

/// A type that is no property list, no `NSCoding` and no `Codable`: stored by reflection.
struct Place { var name = "Hangzhou", streets = ["Gudun Rd"], floor: Int? = 3 }

final class Ticket: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let seat: String
    init(seat: String) { self.seat = seat }
    required init?(coder: NSCoder) {
        guard let seat = coder.decodeObject(of: NSString.self, forKey: "seat") else { return nil }
        self.seat = seat as String
    }
    func encode(with coder: NSCoder) { coder.encode(seat as NSString, forKey: "seat") }
}

@main
struct Preferences {
    static func main() throws {
        try withTemporaryDirectory { directory in
            try KeySource.makeKeyFile(at: directory + "/key")
            var options = Store.Options()
            options.encryption = .aes256GCM(.file(directory + "/key"))
            let store = try Store(at: directory + "/store", options: options)
            // APCommonPreferences and APUserPreferences, each with `business:@"biz"`.
            let common = store.common["biz"]
            try scalars(common)
            try objects(common)
            try store.signIn("2088")
            try encryption(try store.current["biz"], directory + "/store")
            try purge(store, common)
            try store.close()
            try customEncryption(directory)
        }
    }

    /// setInteger, setLongLong, setBool, setDouble; each getter with and without a default.
    static func scalars(_ biz: Store.Namespace) throws {
        expect(try biz.int(forKey: "integer", default: -1) == -1, "the default is for a key that is not there")
        expect(try biz.int(forKey: "integer") == nil, "which is nil without one, and no 0 that nobody has stored")
        try biz.set(42, forKey: "integer")
        try biz.set(Int64.max, forKey: "longlong")
        try biz.set(true, forKey: "bool")
        try biz.set(3.14, forKey: "double")
        expect(try biz.int(forKey: "integer") == 42 && biz.int(forKey: "integer", default: -1) == 42, "an integer")
        expect(try biz.int64(forKey: "longlong") == .max, "no bit is lost")
        expect(try biz.int64(forKey: "longlong", default: 0) == .max, "nor beside a default")
        expect(try biz.bool(forKey: "bool") == true && biz.bool(forKey: "bool", default: false), "a flag")
        expect(try biz.double(forKey: "double") == 3.14 && biz.double(forKey: "double", default: 0) == 3.14, "a double")
        print(
            "integer \(try biz.int(forKey: "integer", default: 0)), double "
                + "\(try biz.double(forKey: "double", default: 0))"
        )
    }

    /// setString, setObject, archiveObject, saveJsonObject; objectForKey reads any of them.
    static func objects(_ biz: Store.Namespace) throws {
        try biz.set("readable in the tool", forKey: "string")
        expect(try biz.string(forKey: "string") == "readable in the tool", "a string is its own bytes")

        try biz.setObject(["str"], forKey: "array")
        var savedArray = try biz.value(forKey: "array", as: [String].self) ?? []
        savedArray.append("another")  // The result is a copy that the caller may change.
        expect(savedArray == ["str", "another"], "a property list")

        try biz.setArchived(Ticket(seat: "7A"), forKey: "ticket")
        expect(try biz.archived(Ticket.self, forKey: "ticket")?.seat == "7A", "an archived object")

        try biz.set(reflecting: Place(), forKey: "place")
        for key in ["string", "array", "ticket", "place"] {
            // The entry records how it was stored.
            guard let object = try biz.object(forKey: key), let info = try biz.info(forKey: key) else {
                return expect(false, "\(key) is there")
            }
            print("\(key): \(info.codec) \(object)")
        }
        expect(try biz.info(forKey: "place")?.codec == .json, "reflection makes JSON")
    }

    /// setObject:forKey:business:extension:APDefaultEncrypt(); reading needs no extension.
    static func encryption(_ biz: Store.Namespace, _ path: String) throws {
        try biz.setObject(["password": "open sesame"], forKey: "key", options: .encrypted)
        let read = try biz.value(forKey: "key", as: [String: String].self)
        expect(read == ["password": "open sesame"], "reading needs no option")
        // The original can't encrypt scalars.
        try biz.set(1234, forKey: "pin", options: .encrypted)
        expect(try biz.int(forKey: "pin", default: 0) == 1234, "a number is encrypted like anything else")
        expect(try biz.info(forKey: "pin")?.isEncrypted == true, "and known to be")
        var bytes = Data()
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            bytes += FileManager.default.contents(atPath: path + "/" + name) ?? Data()
        }
        expect(bytes.range(of: Data("open sesame".utf8)) == nil, "no file holds it in the clear")
        print("encrypted: \(read?["password"] ?? "(null)")")
    }

    /// A cipher of the business's own instead of the default; without it, its values can't be read.
    static func customEncryption(_ directory: String) throws {
        let keys = KeySource.file(directory + "/key")
        var options = Store.Options()
        options.encryption = StoreEncryption(cipher: BusinessCipher(), keys: keys)
        let store = try Store(at: directory + "/custom", options: options)
        try store.common["biz"].set("open sesame", forKey: "key", options: .encrypted)
        let read = try store.common["biz"].string(forKey: "key")
        expect(read == "open sesame", "it is opened by what sealed it")
        try store.close()

        options.encryption = .aes256GCM(keys)
        do throws(StorageError) {
            _ = try Store(at: directory + "/custom", options: options)
            expect(false, "the default cipher opened it")
        } catch {
            expect(error.code == .cipherMismatch, "and by nothing else, nor is it taken for missing: \(error)")
            print("a custom cipher: \(read ?? "(null)"); without it: \(error.code.rawValue)")
        }
    }

    /// APDataOptionPurgeable, with setObject, archiveObject and saveJsonObject, and the entries that a data cleaning
    /// removes.
    static func purge(_ store: Store, _ biz: Store.Namespace) throws {
        try biz.setObject(["cached"], forKey: "cache", options: .purgeable)
        try biz.setObject(["kept"], forKey: "cache2", options: .purgeable)
        try biz.setObject(["kept"], forKey: "cache2")  // The last write decides.
        try biz.setArchived(Ticket(seat: "8B"), forKey: "cached ticket", options: .purgeable)
        try biz.set(reflecting: Place(), forKey: "cached place", options: .purgeable)
        let report = try store.purge(.all)
        for key in ["cache", "cached ticket", "cached place"] {
            expect(try biz.object(forKey: key) == nil, "\(key) is gone")
        }
        expect(
            try biz.object(forKey: "cache2") != nil && biz.int(forKey: "integer", default: 0) == 42, "all else is there"
        )
        expect(store.currentUser == "2088", "and so is the user")
        // Overwritten versions count until compaction removes them: "cache2" had one that was purgeable.
        expect(report.entries == 4, "what was purgeable: \(report)")
        print("purged: cache, cached ticket, cached place; kept: cache2")
    }
}
