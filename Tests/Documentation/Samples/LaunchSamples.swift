import ShaleBoxes
import Testing

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
