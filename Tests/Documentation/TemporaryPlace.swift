import Foundation
import Testing

/// A directory for one test: `defer { place.remove() }`.
struct TemporaryPlace {
    let path = FileManager.default.temporaryDirectory.path + "/shale-samples-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    func remove() {
        do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record("\(error)") }
    }
}
