import Foundation
import Testing

/// A temporary directory for one test. It is removed at the end.
final class Place {
    let path = FileManager.default.temporaryDirectory.path + "/shale-sessions-\(UUID().uuidString)"

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record("\(path) stays: \(error)") }
    }
}
