import Foundation

/// A copy of the killed child's files, by hard links. Opening a store changes no file: it only creates and removes
/// files, so the copy stays unchanged.
enum Evidence {
    static func path(of store: String) -> String { store + "-killed" }

    static func keep(of store: String) throws {
        let files = FileManager.default
        let copy = path(of: store)
        try remove(copy)
        guard files.fileExists(atPath: store) else { return }
        try files.createDirectory(atPath: copy, withIntermediateDirectories: true)
        for name in try files.subpathsOfDirectory(atPath: store) {
            var isDirectory = ObjCBool(false)
            unsafe _ = files.fileExists(atPath: "\(store)/\(name)", isDirectory: &isDirectory)
            if isDirectory.boolValue {
                try files.createDirectory(atPath: "\(copy)/\(name)", withIntermediateDirectories: true)
            } else {
                try files.linkItem(atPath: "\(store)/\(name)", toPath: "\(copy)/\(name)")
            }
        }
    }

    static func remove(_ path: String) throws {
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }
}
