package import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import CLinux
    import Musl
#else
    import CLinux
    import Glibc
#endif
/// Removal of large files beside threads that sync other files.
///
/// ext4 mounted with `discard` and without a journal discards a file's blocks on the device during `unlink`, 1.2 ms per
/// MiB. For a segment of 32 MiB, every sync of another file waits 40 ms in the device's queue.
extension PosixDirectory {
    /// The bytes freed per step.
    private static let stepBytes: UInt64 = 1 << 20

    package func removeInSteps(_ name: String) throws(IOFailure) {
        #if canImport(Darwin)
            try remove(name)
        #else
            try check("remove", name)
            let flags = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
            // A file that can't be opened can still be removed, in one step.
            let file = openIfPossible(name, flags)
            try remove(name)
            if let file, let size = PosixDirectory.sizeIfOurs(file) { PosixDirectory.shrink(file, from: size) }
        #endif
    }

    package func removeAndCut(_ name: String) throws(IOFailure) {
        try check("remove", name)
        let file = openIfPossible(name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        try remove(name)
        guard let file else { return }
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0, status.st_nlink == 0, status.st_mode & S_IFMT == S_IFREG else {
            return
        }
        PosixDirectory.shrink(file, from: UInt64(max(0, status.st_size)))
        // Without a name, nothing but the space depends on the file. Closing frees it unless others have it open.
        _ = ftruncate(file.number, 0)
    }

    private func openIfPossible(_ name: String, _ flags: Int32) -> Descriptor? {
        do throws(IOFailure) {
            let number = try SystemCall.run("open", name) { unsafe openat(descriptor.number, name, flags) }
            return Descriptor(number)
        } catch {
            return nil
        }
    }

    /// Truncates the file in steps. Closing frees what is left, or everything if a step fails.
    private static func shrink(_ file: Descriptor, from size: UInt64) {
        var size = size
        while size > stepBytes {
            size = (size - 1) / stepBytes * stepBytes
            guard ftruncate(file.number, off_t(truncatingIfNeeded: size)) == 0 else { return }
        }
    }

    #if !canImport(Darwin)
        /// Returns the size of the just removed `file` if no other process or thread can see its content; otherwise
        /// `nil`.
        ///
        /// The file must have no other name (a checkpoint's) and no other opener (a reader that keeps reading what it
        /// opened). The kernel grants a write lease only without other openers. The lease is released at once: a file
        /// without a name gets no new openers.
        private static func sizeIfOurs(_ file: Descriptor) -> UInt64? {
            var status = stat()
            guard unsafe fstat(file.number, &status) == 0, status.st_nlink == 0, status.st_mode & S_IFMT == S_IFREG,
                fcntl(file.number, Int32(LINUX_F_SETLEASE), Int32(F_WRLCK)) == 0,
                fcntl(file.number, Int32(LINUX_F_SETLEASE), Int32(F_UNLCK)) == 0
            else { return nil }
            return UInt64(max(0, status.st_size))
        }
    #endif
}
