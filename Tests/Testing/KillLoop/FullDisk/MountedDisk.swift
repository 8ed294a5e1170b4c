import Foundation
import TestSupport

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
        /// A btrfs with much free space and a quota, which refuses with EDQUOT.
        case quota
    }

    let path: String
    private let image: String?

    init(_ kind: Kind, megabytes: Int, under directory: String) throws {
        let name = "\(directory)/shale-full-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        path = name
        image = kind == .tmpfs ? nil : name + ".img"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        do {
            switch kind {
            case .tmpfs:
                try MountedDisk.run("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m,mode=700", "shale-full", path])
            case .ext4:
                try makeImage(megabytes, "mkfs.ext4", ["-q", "-F", "-m", "0"])
            case .quota:
                try makeImage(megabytes + MountedDisk.bytesBesideQuota >> 20, "mkfs.btrfs", ["-q"])
                try MountedDisk.run("btrfs", ["quota", "enable", path])
                try MountedDisk.run("btrfs", ["qgroup", "limit", "\(megabytes)M", "0/5", path])
            }
        } catch {
            try MountedDisk.removeFiles([path, image])
            throw error
        }
    }

    /// The free space of a disk with a quota. An image of btrfs needs 114 MiB.
    private static let bytesBesideQuota = 256 << 20

    private func makeImage(_ megabytes: Int, _ program: String, _ options: [String]) throws {
        guard let image else { return }
        try MountedDisk.run("truncate", ["-s", "\(megabytes)M", image])
        try MountedDisk.run(program, options + [image])
        try MountedDisk.run("mount", ["-o", "loop", image, path])
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

    /// Unmounts the disk and removes its image. The kernel may still be closing the files of a killed process: the disk
    /// is busy for a moment then.
    func unmount() throws {
        var refusal: (any Error)?
        let isUnmounted = eventually(within: .seconds(5)) {
            do {
                try MountedDisk.run("umount", [path])
                return true
            } catch {
                refusal = error
                return false
            }
        }
        if !isUnmounted, let refusal { throw refusal }
        try MountedDisk.removeFiles([path, image])
    }

    private static func removeFiles(_ paths: [String?]) throws {
        for case .some(let path) in paths where FileManager.default.fileExists(atPath: path) {
            try FileManager.default.removeItem(atPath: path)
        }
    }

    // MARK: Filling

    /// Creates a file of `bytes`, or of as many as fit.
    func occupy(_ name: String, _ bytes: Int) throws {
        try withFile(name) { descriptor in _ = try MountedDisk.extend(descriptor, to: bytes) }
    }

    /// Creates a file that takes all space but the last `bytes`. The free space that the system reports can't tell how
    /// much that is, because it ignores quotas.
    func fill(_ name: String, leaving bytes: Int) throws {
        try withFile(name) { descriptor in
            let size = try MountedDisk.extend(descriptor, to: .max)
            guard ftruncate(descriptor, off_t(max(0, size - bytes))) == 0 else {
                throw KillLoopError("ftruncate \(name): errno=\(errno)")
            }
        }
    }

    private static func isOutOfSpace(_ number: Int32) -> Bool { number == ENOSPC || number == EDQUOT }

    private func withFile(_ name: String, _ body: (Int32) throws -> Void) throws {
        let descriptor = unsafe open("\(path)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            // Not even a name fits.
            guard MountedDisk.isOutOfSpace(errno) else { throw KillLoopError("open \(name): errno=\(errno)") }
            return
        }
        defer { close(descriptor) }
        try body(descriptor)
    }

    /// Reserves space for a new file of `bytes`, or of as many as fit. Returns the file's size.
    private static func extend(_ descriptor: Int32, to bytes: Int) throws -> Int {
        var size = 0
        var step = 1 << 20
        while size < bytes, step >= 4096 {
            let next = min(step, bytes - size)
            let status = reserve(descriptor, size, next)
            if status == 0 {
                size += next
            } else if isOutOfSpace(status) {
                step /= 2
            } else {
                throw KillLoopError("posix_fallocate: errno=\(status)")
            }
        }
        return size
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
