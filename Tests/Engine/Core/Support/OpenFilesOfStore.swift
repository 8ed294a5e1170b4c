import Foundation

/// The files of a store that this process has open or mapped, by their paths. Directories are left out. Linux only.
struct OpenFilesOfStore {
    let files: [String]
    let mappings: [String]

    init(_ path: String) throws {
        let descriptors = "/proc/self/fd"
        files = try FileManager.default.contentsOfDirectory(atPath: descriptors).compactMap { number in
            // The descriptor that lists the directory is closed by now.
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: descriptors + "/" + number),
                target.hasPrefix(path + "/")
            else { return nil }
            var isDirectory: ObjCBool = false
            let exists = unsafe FileManager.default.fileExists(atPath: target, isDirectory: &isDirectory)
            return exists && isDirectory.boolValue ? nil : target
        }
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        mappings = maps.split(separator: "\n").filter { $0.contains(" \(path)/") }.map { String($0) }
    }
}
