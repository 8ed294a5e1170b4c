import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import CLinux
    import Glibc
#endif

/// Compares what reads of a file return, which is the page cache, with what the device holds.
///
/// Linux marks pages clean even if writing them back failed. One sync reports that. A process that opens the file later
/// gets no error and reads data that was never written. A direct read first writes dirty pages back, then reads the
/// device, and leaves the page cache unchanged.
struct MediumCheck {
    private let descriptor: Descriptor
    private let label: String

    init(_ descriptor: Descriptor, _ label: String) {
        self.descriptor = descriptor
        self.label = label
    }

    #if canImport(Glibc)
        /// The step of the comparison, a multiple of every device's sector size.
        private static let stepBytes = 1 << 20

        /// Returns true if the first `count` bytes of cache and device are equal, or if the file system has no direct
        /// reads.
        func isEqual(first count: UInt64) throws(IOFailure) -> Bool {
            guard let direct = directlyOpened() else { return true }
            let memory = OwnedBytes(count: 3 * MediumCheck.stepBytes)
            // Direct reads need aligned memory as well.
            let start = unsafe UInt(bitPattern: memory.mutable.start)
            let skipped = Int((0 &- start) % UInt(MediumCheck.stepBytes))
            let onMedium = memory.mutable.slice(skipped, MediumCheck.stepBytes)
            let cached = memory.mutable.slice(skipped + MediumCheck.stepBytes, MediumCheck.stepBytes)
            var offset: UInt64 = 0
            while offset < count {
                guard let length = try read(direct, onMedium, at: offset) else { return true }
                guard try read(descriptor, cached, at: offset) == length else { return false }
                let compared = Int(min(UInt64(length), count - offset))
                if onMedium.bytes.slice(0, compared) != cached.bytes.slice(0, compared) { return false }
                if length < MediumCheck.stepBytes { return true }
                offset += UInt64(length)
            }
            return true
        }

        /// Opens the file for direct reads; `nil` if the system refuses.
        private func directlyOpened() -> Descriptor? {
            let path = "/proc/self/fd/\(descriptor.number)"
            let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | Int32(LINUX_O_DIRECT))
            return number < 0 ? nil : Descriptor(number)
        }

        /// Reads at `offset`; `nil` if the file system refuses direct reads.
        private func read(
            _ file: Descriptor, _ target: MutableBytes, at offset: UInt64
        ) throws(IOFailure) -> Int? {
            do throws(IOFailure) {
                return try SystemCall.run("read", label) {
                    unsafe pread(file.number, target.start, target.count, off_t(truncatingIfNeeded: offset))
                }
            } catch {
                guard error.errorNumber == EINVAL else { throw error }
                return nil
            }
        }
    #else
        /// Returns true without a comparison. Darwin keeps pages dirty that it could not write, and reports them to
        /// every sync.
        func isEqual(first count: UInt64) throws(IOFailure) -> Bool { true }
    #endif
}
