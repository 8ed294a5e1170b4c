import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A small kernel file system, mounted for one state.
final class MountedDisk {
    enum Kind: String, CaseIterable, Sendable {
        case tmpfs, ext4
    }

    let path: String
    private let image: String?

    init(_ kind: Kind, megabytes: Int, under directory: String) throws {
        let name = "\(directory)/shale-full-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        path = name
        image = kind == .ext4 ? name + ".img" : nil
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        do {
            if let image {
                try MountedDisk.run("truncate", ["-s", "\(megabytes)M", image])
                try MountedDisk.run("mkfs.ext4", ["-q", "-F", "-m", "0", image])
                try MountedDisk.run("mount", ["-o", "loop", image, path])
            } else {
                try MountedDisk.run("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m,mode=700", "shale-full", path])
            }
        } catch {
            try MountedDisk.removeFiles([path, image])
            throw error
        }
    }

    /// Returns the kinds that this process can mount.
    static func permitted(under directory: String) -> [Kind] {
        Kind.allCases.filter { kind in
            do {
                try MountedDisk(kind, megabytes: 8, under: directory).unmount()
                return true
            } catch {
                print("SKIPPED: full disks of \(kind.rawValue), which can't be mounted here: \(error)")
                return false
            }
        }
    }

    func unmount() throws {
        try MountedDisk.run("umount", [path])
        try MountedDisk.removeFiles([path, image])
    }

    private static func removeFiles(_ paths: [String?]) throws {
        for case .some(let path) in paths where FileManager.default.fileExists(atPath: path) {
            try FileManager.default.removeItem(atPath: path)
        }
    }

    // MARK: Filling

    var freeBytes: Int {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return 0 }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    /// Creates a file of `bytes`, or of as many as fit.
    func occupy(_ name: String, _ bytes: Int) throws {
        let descriptor = unsafe open("\(path)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            // Not even a name fits.
            guard errno == ENOSPC else { throw KillLoopError("open \(name): errno=\(errno)") }
            return
        }
        defer { close(descriptor) }
        var size = 0
        var step = 1 << 20
        while size < bytes, step >= 4096 {
            let next = min(step, bytes - size)
            let status = MountedDisk.reserve(descriptor, size, next)
            if status == 0 {
                size += next
            } else if status == ENOSPC {
                step /= 2
            } else {
                throw KillLoopError("posix_fallocate \(name): errno=\(status)")
            }
        }
    }

    private static func reserve(_ descriptor: Int32, _ offset: Int, _ count: Int) -> Int32 {
        #if canImport(Darwin)
            // No disk is mounted on this system.
            return ENOTSUP
        #else
            return posix_fallocate(descriptor, off_t(offset), off_t(count))
        #endif
    }

    func remove(_ name: String) throws {
        if unsafe unlink("\(path)/\(name)") != 0, errno != ENOENT {
            throw KillLoopError("unlink \(name): errno=\(errno)")
        }
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw KillLoopError("\(program): \(text)") }
    }
}
