#if os(Linux)
    import Glibc
    import ShalePlatform

    /// A file system in a file, mounted while this object lives. Only root can mount it, and not in every container:
    /// see ``isPossible``.
    package final class LoopMount {
        package let path: String
        private let base: String

        /// True if this process can mount an ext4 image without extents, on which `fallocate` is not supported.
        package static let isPossible: Bool = geteuid() == 0 && LoopMount(ext4Features: "^extents,^64bit") != nil

        /// Makes and mounts an ext4 image of `megabytes` with these features; `nil` if the system can't.
        package init?(ext4Features: String, megabytes: Int = 96) {
            let temporary = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
            base = "\(temporary)/shale-mount-\(getpid())-\(UInt64.random(in: 0 ... .max))"
            path = base + "/mount"
            let image = base + "/image"
            guard unsafe mkdir(base, 0o700) == 0 else { return nil }
            guard unsafe mkdir(path, 0o700) == 0,
                LoopMount.makeEmpty(image, bytes: megabytes << 20),
                LoopMount.run("mkfs.ext4", "-q", "-F", "-O", ext4Features, image),
                LoopMount.run("mount", "-o", "loop", image, path)
            else {
                removeDirectory()
                return nil
            }
        }

        deinit {
            _ = LoopMount.run("umount", path)
            removeDirectory()
        }

        private func removeDirectory() {
            unsafe unlink(base + "/image")
            unsafe rmdir(path)
            unsafe rmdir(base)
        }

        private static func makeEmpty(_ path: String, bytes: Int) -> Bool {
            let number = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard number >= 0 else { return false }
            defer { close(number) }
            return ftruncate(number, off_t(bytes)) == 0
        }

        /// Runs a command without its output. Returns true if it exists and exits with 0.
        private static func run(_ arguments: String...) -> Bool {
            var pointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
            defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
            unsafe pointers.append(nil)
            var actions = unsafe posix_spawn_file_actions_t()
            unsafe posix_spawn_file_actions_init(&actions)
            defer { unsafe posix_spawn_file_actions_destroy(&actions) }
            for descriptor: Int32 in 1...2 {
                unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
            }
            var child = pid_t()
            guard unsafe posix_spawnp(&child, arguments[0], &actions, nil, pointers, environ) == 0 else { return false }
            var status: Int32 = 0
            while unsafe waitpid(child, &status, 0) < 0 { guard errno == EINTR else { return false } }
            return status == 0
        }
    }
#endif
