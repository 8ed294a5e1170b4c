// A session of two users, as in AGXData: properties that are shared, in a vault, or sealed to this installation; each
// user has values of their own. Then shipped configuration, passwords, and a reinstallation.
import ExampleSupport
import Foundation
import ShaleFoundation
import ShaleKit

/// @databox_interface(UserDefaults, NSObject)
final class UserDefaultsBox: DataBoxOwner {
    static var dataBoxName: String { "UserDefaults" }
    let dataBox: DataBox
    @Boxed(.standard) var userId: String?  // @default_share(UserDefaults, userId)
    @Boxed(.vault, per: \.userId) var name: String?  // @keychain_users(UserDefaults, name, userId)
    @Boxed(.restricted, per: \.userId) var version: String?  // @restrict_users(UserDefaults, version, userId)

    init(_ box: DataBox) { dataBox = box }

    /// The values that the original prints with `NSLog`.
    var shown: [String?] { [userId, name, version] }
}

/// @appconfig_interface(AppConfig, NSObject): read from the application's bundle.
final class AppConfig: ConfigurationOwner {
    let configuration: ShippedConfiguration
    @Config("key") var key: String?  // @appconfig(AppConfig, key)
    @Config("key1") var key1: String?  // @appconfig(AppConfig, key1)

    init(_ bundle: String) throws { configuration = try ShippedConfiguration(named: "com.example.app", in: [bundle]) }
}

/// @appconfig_interface(BundleConfig, NSObject), appconfig_bundle(BundleConfig, ZUXAppConfig): another bundle.
final class BundleConfig: ConfigurationOwner {
    let configuration: ShippedConfiguration
    @Config("key") var key: String?
    @Config("key2") var key2: String?

    init(_ bundle: String) throws { configuration = try ShippedConfiguration(named: "com.example.app", in: [bundle]) }
}

@main
struct TwoUserSession {
    static func main() throws {
        try withTemporaryDirectory { directory in
            let keyFile = directory + "/vault.key"
            try KeySource.makeKeyFile(at: keyFile)
            // Apart from the data. Vault.defaultDirectory(application:) is the usual place; examples stay in their
            // folder.
            let vault = try Vault(at: directory + "/vault", keys: .file(keyFile))
            let data = directory + "/data"
            try session(data, vault)
            try sixPlaces(data, vault)
            try configuration(directory)
            try passwords(vault)
            try reinstallation(data, vault)
            try vault.close()
        }
    }

    static func open(_ data: String, _ vault: Vault) throws -> DataBox {
        try DataBox(at: data, application: "com.example.app", vault: vault)
    }

    static func session(_ data: String, _ vault: Vault) throws {
        let box = try open(data, vault)
        let launch = try box.store.recordLaunch(version: "1.0")
        expect(launch.isFirst && launch.isFirstOfVersion, "it was never launched")
        let defaults = UserDefaultsBox(box)

        defaults.userId = "111"
        defaults.name = "aaa"
        defaults.version = "0.0.1"
        try show(defaults, ["111", "aaa", "0.0.1"])
        try box.sync()

        defaults.userId = "222"
        defaults.name = "bbb"
        defaults.version = "0.0.2"
        try show(defaults, ["222", "bbb", "0.0.2"])
        try box.sync()

        defaults.userId = "111"
        try show(defaults, ["111", "aaa", "0.0.1"])

        defaults.userId = "222"
        try show(defaults, ["222", "bbb", "0.0.2"])

        // Without a user nothing is read and nothing is stored. The projection throws the error that the property can't
        // throw.
        defaults.userId = nil
        defaults.name = "nobody's"
        expect(defaults.name == nil && box.health.failedWrites == 1, "no user, no value")
        expect(box.health.failures.first?.error.code == .noCurrentUser, "and the box knows why")
        try box.close()
    }

    static func show(_ defaults: UserDefaultsBox, _ expected: [String]) throws {
        for line in defaults.shown { print(line ?? "(null)") }
        expect(defaults.shown == expected.map { $0 }, "the output is \(expected)")
    }

    /// defaultShareObjectForKey:, keychainUsersObjectForKey:userId: and so on, with their setters: the same values
    /// without properties.
    static func sixPlaces(_ data: String, _ vault: Vault) throws {
        let box = try open(data, vault)
        let scopes = [("default", BoxScope.standard), ("keychain", .vault), ("restrict", .restricted)]
        for (name, scope) in scopes {
            try box.compartment("Objects", scope).set(name + " share", forKey: "key")
            try box.compartment("Objects", scope, per: "111").set(name + " users 111", forKey: "key")
            try box.compartment("Objects", scope, per: "222").set(name + " users 222", forKey: "key")
        }
        for (name, scope) in scopes {
            let share = try box.compartment("Objects", scope).value(forKey: "key", as: String.self)
            let users = try ["111", "222"].map {
                try box.compartment("Objects", scope, per: $0).value(forKey: "key", as: String.self)
            }
            expect(share == name + " share", "\(name): one that is everybody's")
            expect(users == [name + " users 111", name + " users 222"], "\(name): one for each user")
            print("\(share ?? "(null)"), \(users.map { $0 ?? "(null)" }.joined(separator: ", "))")
        }
        try box.close()
    }

    /// <dict><key>key1</key><string>value1</string></dict> in the application's bundle, key2 in another one.
    static func configuration(_ directory: String) throws {
        for (bundle, key, value) in [("App", "key1", "value1"), ("ZUXAppConfig.bundle", "key2", "value2")] {
            let path = directory + "/" + bundle
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let list = try PropertyListSerialization.data(fromPropertyList: [key: value], format: .xml, options: 0)
            try list.write(to: URL(fileURLWithPath: path + "/com.example.app.plist"))
        }
        let appConfig = try AppConfig(directory + "/App")
        let bundleConfig = try BundleConfig(directory + "/ZUXAppConfig.bundle")
        print("key1: \(appConfig.key1 ?? "(null)"), key2: \(bundleConfig.key2 ?? "(null)")")
        expect(appConfig.key1 == "value1" && bundleConfig.key2 == "value2", "each has its bundle's")
        expect(appConfig.key == nil && bundleConfig.key == nil, "what is in neither is nil")
    }

    static func passwords(_ vault: Vault) throws {
        let service = "com.example.app"
        expect(try vault.password(account: "111", service: service) == nil, "there is none yet")
        expect(try vault.store("one", account: "111", service: service, updateExisting: false) == .stored, "stored")
        let kept = try vault.store("two", account: "111", service: service, updateExisting: false)
        expect(kept == .kept, "another one stays, and the outcome says so")
        expect(try vault.store("two", account: "111", service: service) == .stored, "unless it is to be updated")
        expect(try vault.store("two", account: "111", service: service) == .unchanged, "the same is no change")
        expect(try vault.deletePassword(account: "111", service: service), "it was there")
        expect(try !vault.deletePassword(account: "111", service: service), "and is not any more")
        print("not updated: \(kept)")
    }

    /// The data directory is removed and created again; the vault stays.
    static func reinstallation(_ data: String, _ vault: Vault) throws {
        try FileManager.default.removeItem(atPath: data)
        let box = try open(data, vault)
        let defaults = UserDefaultsBox(box)
        expect(try box.store.recordLaunch(version: "1.0").isFirst, "it is a first launch again")
        expect(defaults.userId == nil, "what was in the data directory is gone with it")
        defaults.userId = "111"
        expect(defaults.name == "aaa", "the vault's values are there")
        expect(try defaults.$version.get() == nil, "those of the old installation are not: erased, no error")
        print("after a reinstallation: name \(defaults.name ?? "(null)"), version \(defaults.version ?? "(null)")")
        try box.close()
    }
}
