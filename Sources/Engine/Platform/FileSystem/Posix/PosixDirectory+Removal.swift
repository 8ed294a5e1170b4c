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
/// Removing large files beside threads that sync others.
///
/// ext4 mounted with `discard` and without a journal discards a file's blocks on the device while `unlink` runs, 1.2 ms for
/// a MiB: 40 ms for a segment of 32 MiB, for which each sync of another file waits in the device's queue.
extension PosixDirectory {
    /// What is given back at a time.
    private static let stepBytes: UInt64 = 1 << 20

    package func removeInSteps(_ name: String) throws(IOFailure) {
        #if canImport(Darwin)
            try remove(name)
        #else
            try check("remove", name)
            let flags = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
            // What can't be opened can be removed all the same, in one step.
            let file = openIfPossible(name, flags)
            try remove(name)
            if let file, let size = PosixDirectory.sizeIfOurs(file) { PosixDirectory.shrink(file, from: size) }
        #endif
    }

    #if !canImport(Darwin)
        private func openIfPossible(_ name: String, _ flags: Int32) -> Descriptor? {
            do throws(IOFailure) {
                let number = try SystemCall.run("open", name) {
                    unsafe openat(descriptor.number, name, flags)
                }
                return Descriptor(number)
            } catch {
                return nil
            }
        }

        /// The size of `file`, which has just been removed, if nobody but its owner can ever see its content: it has no
        /// other name (a checkpoint's), and nobody has it open (a reader beside the writer, who goes on reading what he
        /// opened). That is what a write lease is given for. It is given up at once: without a name there are no new
        /// openers.
        private static func sizeIfOurs(_ file: Descriptor) -> UInt64? {
            var status = stat()
            guard unsafe fstat(file.number, &status) == 0, status.st_nlink == 0, status.st_mode & S_IFMT == S_IFREG,
                fcntl(file.number, Int32(LINUX_F_SETLEASE), Int32(F_WRLCK)) == 0,
                fcntl(file.number, Int32(LINUX_F_SETLEASE), Int32(F_UNLCK)) == 0
            else { return nil }
            return UInt64(max(0, status.st_size))
        }

        /// Closing the file gives back what is left, and everything if a step fails.
        private static func shrink(_ file: Descriptor, from size: UInt64) {
            var size = size
            while size > stepBytes {
                size = (size - 1) / stepBytes * stepBytes
                guard ftruncate(file.number, off_t(truncatingIfNeeded: size)) == 0 else { return }
            }
        }
    #endif
}
