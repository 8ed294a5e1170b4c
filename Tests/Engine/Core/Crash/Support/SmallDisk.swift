import Foundation

/// A real file system that is soon full: a tmpfs. Mounting one needs a privilege that not everybody has.
final class SmallDisk {
    let path: String

    /// Whether one can be mounted here; says so if not, since nothing else would tell that tests were left out.
    static let isPermitted: Bool = {
        do {
            _ = try SmallDisk(megabytes: 1)
            return true
        } catch {
            print("SKIPPED: full-disk cycles on a real file system, because no tmpfs can be mounted here: \(error)")
            return false
        }
    }()

    init(megabytes: Int) throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("shale-small-" + UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        do {
            try SmallDisk.run("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m,mode=700", "shale-test", path])
        } catch {
            try FileManager.default.removeItem(atPath: path)
            throw error
        }
    }

    deinit {
        do {
            try SmallDisk.run("umount", [path])
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("the tmpfs at \(path) could not be removed: \(error)")
        }
    }

    /// Removes everything on it.
    func empty() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            try FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
    }

    private struct Failure: Error {
        let text: String
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(text: "\(program): \(text)") }
    }
}
