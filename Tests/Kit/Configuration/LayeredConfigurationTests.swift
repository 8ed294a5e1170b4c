import Foundation
import ShaleFoundation
import TestSupport
import Testing

private final class AppConfig: ConfigurationOwner {
    let configuration: ShippedConfiguration
    @Config("server") var server: String?
    @Config("retries") var retries = 3
    @Config("started") var started: Date?
    @Config("limits") var limits: [String: Int]?
    @Config("flag") var flag: Int? = 5
    init(_ configuration: ShippedConfiguration) { self.configuration = configuration }
}

private struct Small {
    @ConfigurationValue<Int> var retries: Int
    init(_ configuration: ShippedConfiguration) {
        _retries = ConfigurationValue(wrappedValue: 9, "retries", in: configuration)
    }
}

@MainActor private final class ScreenConfig: ConfigurationOwner {
    nonisolated let configuration: ShippedConfiguration
    @Config("retries") var retries = 3
    init(_ configuration: ShippedConfiguration) { self.configuration = configuration }
}

/// The configuration that an application ships with, in layers.
@Suite final class LayeredConfigurationTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/shale-config-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit {
        do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record("\(error)") }
    }

    /// Writes `<layer>/app.plist` and returns the layer's directory.
    @discardableResult
    private func layer(
        _ name: String, _ members: [String: Any], _ format: PropertyListSerialization.PropertyListFormat = .xml
    ) throws -> String {
        let directory = folder + "/" + name
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let bytes = try PropertyListSerialization.data(fromPropertyList: members, format: format, options: 0)
        try bytes.write(to: URL(fileURLWithPath: directory + "/app.plist"))
        return directory
    }

    private func open(_ layers: String...) throws(StorageError) -> ShippedConfiguration {
        try ShippedConfiguration(named: "app", in: layers.map { folder + "/" + $0 })
    }

    @Test func theFirstLayerThatHasAKeyCounts() throws {
        try layer("bundle", ["server": "a.example", "retries": 1, "only": true])
        try layer("documents", ["server": "b.example"], .binary)
        try layer("temporary", ["retries": 7])
        let configuration = try open("temporary", "caches", "documents", "bundle")
        #expect(try configuration.value(forKey: "server", as: String.self) == "b.example")
        #expect(try configuration.value(forKey: "retries", as: Int.self) == 7)
        #expect(try configuration.value(forKey: "only", as: Bool.self) == true)
        #expect(try configuration.value(forKey: "other", as: Bool.self) == nil)
        #expect(configuration.keys == ["only", "retries", "server"])
        #expect(
            configuration.files.map { $0.split(separator: "/").suffix(2).joined(separator: "/") } == [
                "temporary/app.plist", "documents/app.plist", "bundle/app.plist",
            ])
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func propertiesHaveTypesAndDefaults(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000)
        try layer("bundle", ["server": "a", "started": date, "limits": ["x": 1]], format)
        let config = AppConfig(try open("bundle"))
        #expect(config.server == "a" && config.started == date && config.limits == ["x": 1] && config.retries == 3)
        #expect(try config.$server.get() == "a" && config.$retries.get() == 3)
        #expect(config.flag == 5 && config.configuration.failures.isEmpty && Small(config.configuration).retries == 9)
    }

    @Test func anotherTypeIsAnError() throws {
        try layer("bundle", ["server": 5, "retries": "many", "flag": true, "limits": ["x": "y"], "one": 1])
        let configuration = try open("bundle")
        let config = AppConfig(configuration)
        #expect(code { () throws(StorageError) in try config.$server.get() } == .typeMismatch)
        #expect(code { () throws(StorageError) in try config.$retries.get() } == .typeMismatch)
        #expect(code { () throws(StorageError) in try config.$limits.get() } == .codecFailure)
        #expect(
            code { () throws(StorageError) in try configuration.value(forKey: "flag", as: Int.self) } == .typeMismatch)
        #expect(
            code { () throws(StorageError) in try configuration.value(forKey: "one", as: Bool.self) } == .typeMismatch)
        #expect(code { () throws(StorageError) in try config.$flag.get() } == .typeMismatch)
        // A property must return a value. `failures` shows that the value does not come from the file.
        #expect(config.server == nil && config.retries == 3 && config.retries == 3)
        #expect(config.configuration.failures.map(\.key) == ["server", "retries"])
    }

    @Test func noFileIsNoValueAndADamagedOneIsAnError() throws {
        #expect(try open("nowhere").keys == [])
        try layer("bundle", ["a": 1])
        let file = folder + "/bundle/app.plist"
        for bytes in [
            Data("{ a = 1; }".utf8), Data("bplist00".utf8), Data("<?xml version=\"1.0\"?><plist>".utf8), Data(),
        ] {
            try bytes.write(to: URL(fileURLWithPath: file))
            do throws(StorageError) {
                _ = try open("bundle")
                Issue.record("it was read")
            } catch {
                #expect(error.code == .corruption && error.file == file)
            }
        }
        #expect(code { () throws(StorageError) in try ShippedConfiguration(named: "../app") } == .invalidArgument)
        let directories = ShippedConfiguration.standardDirectories
        let files = FileManager.default
        let users = [FileManager.SearchPathDirectory.cachesDirectory, .documentDirectory].compactMap {
            files.urls(for: $0, in: .userDomainMask).first?.path
        }
        #expect(directories.first == files.temporaryDirectory.path, "what is there for a while counts most")
        #expect(Array(directories.dropFirst().dropLast()) == users, "then caches, then documents")
        #expect(directories.last == ShippedConfiguration.directory(of: .main), "what the application came with, least")
    }

    @Test @MainActor func anActorReadsThemWithoutWaiting() throws {
        try layer("bundle", ["retries": 1])
        let screen = ScreenConfig(try open("bundle"))
        #expect(screen.retries == 1)
        #expect(try screen.$retries.get() == 1)
    }
}
