package import ShaleBase
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// A new file, written at explicit offsets.
package final class PosixWritableFile: WritableFile {
    package let name: String
    private let label: String
    private let descriptor: Descriptor
    private let isReduced = Atomic(false)

    init(_ descriptor: Descriptor, name: String, label: String) {
        self.descriptor = descriptor
        self.name = name
        self.label = label
    }

    package func write(_ bytes: Bytes, at offset: UInt64) throws(IOFailure) {
        var done = 0
        while done < bytes.count {
            let rest = bytes.suffix(from: done)
            let position = off_t(truncatingIfNeeded: offset &+ UInt64(done))
            let written = try SystemCall.run("write", label) {
                unsafe pwrite(descriptor.number, rest.start, rest.count, position)
            }
            // Zero bytes without an error: nothing says that a repetition would do better.
            guard written > 0 else { throw IOFailure("write", label, EIO) }
            done += written
        }
    }

    package func preallocate(_ size: UInt64) throws(IOFailure) {
        guard size > 0 else { return }
        #if canImport(Darwin)
            try reserve(size)
        #else
            // Returns its error instead of setting errno.
            var status = posix_fallocate(descriptor.number, 0, off_t(truncatingIfNeeded: size))
            while status == EINTR { status = posix_fallocate(descriptor.number, 0, off_t(truncatingIfNeeded: size)) }
            guard status != 0, status != EOPNOTSUPP, status != EINVAL else { return }
            throw IOFailure("preallocate", label, status)
        #endif
    }

    package func window(offset: UInt64, count: Int) -> FileWindow? {
        #if canImport(Glibc)
            guard MappedFile.isSupported(descriptor),
                let mapped = MappedFile(descriptor, offset: offset, count: count)
            else { return nil }
            return FileWindow(
                offset: offset, bytes: mapped.bytes, backing: mapped, faults: mapped.faults, file: label)
        #else
            // Without a way to be told of errors before a store, `write` is the honest one.
            return nil
        #endif
    }

    #if canImport(Darwin)
        /// F_PREALLOCATE reserves behind the end of the file and leaves the size: the extension is a second step.
        private func reserve(_ size: UInt64) throws(IOFailure) {
            let current = try descriptor.status(label).size
            guard size > current else { return }
            var request = fstore_t(
                fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
                fst_length: off_t(size - current), fst_bytesalloc: 0)
            if unsafe fcntl(descriptor.number, F_PREALLOCATE, &request) == -1 {
                let number = errno
                if number == ENOTSUP || number == EINVAL || number == ENOTTY { return }
                throw IOFailure("preallocate", label, number)
            }
            try truncate(to: size)
        }
    #endif

    package func truncate(to size: UInt64) throws(IOFailure) {
        _ = try SystemCall.run("truncate", label) {
            ftruncate(descriptor.number, off_t(truncatingIfNeeded: size))
        }
    }

    package func sync() throws(IOFailure) {
        if try PosixSync.file(descriptor.number, label) == .reduced { isReduced.store(true, ordering: .relaxed) }
    }

    package var durabilityIsReduced: Bool { isReduced.load(ordering: .relaxed) }

    package func isOnMedium() throws(IOFailure) -> Bool { try MediumCheck(descriptor, label).isEqual() }

    package func close() throws(IOFailure) {
        let number = descriptor.close()
        if number != 0 { throw IOFailure("close", label, number) }
    }
}
