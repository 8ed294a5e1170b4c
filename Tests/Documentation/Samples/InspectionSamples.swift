import Shale
import ShaleInspection
import Testing

@Suite struct InspectionSamples {
    @Test func theArticleDoesWhatItSays() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let directory = place.path + "/store"
        let store = try Store(at: directory)
        try store.common["n"].set(1, forKey: "key")
        try store.engine.flush()

        let inspector = try StoreInspector(at: directory)
        let manifest = try inspector.manifest()
        for segment in manifest.segments { print(segment.level ?? -1, segment.number, segment.entries) }
        let history = try inspector.history(of: Array("key".utf8), in: NamespaceID(rawValue: 1))
        for found in history.locations {
            print(found.state.rawValue, found.version.sequence, found.file, found.offset)
        }

        #expect(manifest.segments.count == 1)
        #expect(history.locations.contains { $0.state == .visible })
        try store.close()
    }
}
