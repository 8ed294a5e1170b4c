import Foundation

/// A real, small file system: a tmpfs. Mounting it needs a privilege that not every user has.
final class SmallDisk {
    let path: String

    /// True if a tmpfs can be mounted. Prints a message if not, because nothing else would tell that tests were
    /// skipped.
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

    /// Removes all files on it.
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
