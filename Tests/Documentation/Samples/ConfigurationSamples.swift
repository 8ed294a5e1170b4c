import Foundation
import ShaleConfiguration
import Testing

final class AppConfig: ConfigurationOwner {
    let configuration: Configuration
    @Config("server") var server: String?
    @Config("retries") var retries = 3

    init(_ configuration: Configuration) { self.configuration = configuration }
}

func server() throws -> String {
    let config = AppConfig(try Configuration(named: "com.example.mail"))
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
        let config = AppConfig(try Configuration(named: "app", in: [place.path]))
        #expect(config.server == "a.example" && config.retries == 3)
    }
}
