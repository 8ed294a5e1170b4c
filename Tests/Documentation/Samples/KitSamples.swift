import Foundation
import ShaleFoundation
import ShaleKit
import Testing

final class AppConfig: ConfigurationOwner {
    let configuration: ShippedConfiguration
    @Config("server") var server: String?
    @Config("retries") var retries = 3

    init(_ configuration: ShippedConfiguration) { self.configuration = configuration }
}

func server() throws -> String {
    let config = AppConfig(try ShippedConfiguration(named: "com.example.mail"))
    // If the value has another type, the property is nil or its default; the projection throws.
    return try config.$server.get() ?? "localhost"
}

@Suite struct ConfigurationSamples {
    @Test func theServerIsRead() throws {
        #expect(try server() == "localhost", "this machine has no such configuration")
        let place = try TemporaryPlace()
        defer { place.remove() }
        try PropertyListSerialization.data(fromPropertyList: ["server": "a.example"], format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: place.path + "/app.plist"))
        let config = AppConfig(try ShippedConfiguration(named: "app", in: [place.path]))
        #expect(config.server == "a.example" && config.retries == 3)
    }
}

func welcome(_ store: Store, version: String) throws -> String? {
    let launch = try store.recordLaunch(version: version)  // once, when the program starts
    if launch.isFirst { return "Welcome" }
    return launch.isFirstOfVersion ? "New since \(launch.previousVersion ?? "")" : nil
}

@Suite struct LaunchSamples {
    @Test func everyVersionIsWelcomedOnce() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        let seen = try ["1.0", "1.0", "1.1"].map { try welcome(store, version: $0) }
        #expect(seen == ["Welcome", nil, "New since 1.0"])
        try store.close()
    }
}

struct Draft: Codable { var title: String, lines: Int }

func drafts(_ store: Store, directory: String) throws -> [String] {
    let root = Node(NamespaceStorage(store.common["nodes"], of: store), try FileStorage(at: directory))
    let mail = root.child("mail")
    try mail.values.set(Draft(title: "tea", lines: 2), forKey: "a.b")
    try mail.files.set([1, 2, 3], forKey: "../list.pdf")  // stays in its place
    let draft: Draft? = try mail.values["a.b"]
    try mail.values["sent"].set(draft)
    try mail.values["a.b"].remove()
    try mail.sync()
    return try [draft?.title ?? "none"] + mail.files.keys()
}

@Suite struct NodesSamples {
    @Test func draftsAreKept() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        #expect(try drafts(store, directory: place.path + "/files") == ["tea", "../list.pdf"])
        try store.close()
    }
}
