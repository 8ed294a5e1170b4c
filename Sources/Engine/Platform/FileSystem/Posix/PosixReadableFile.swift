package import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
#if os(Linux)
    import CLinux
#endif

/// A file open for reading at explicit offsets. Any number of threads may read; only the last user calls `close`.
package final class PosixReadableFile: ReadableFile {
    package let name: String
    private let label: String
    private let descriptor: Descriptor

    init(_ descriptor: Descriptor, name: String, label: String) {
        self.descriptor = descriptor
        self.name = name
        self.label = label
    }

    package func size() throws(IOFailure) -> UInt64 { try descriptor.status(label).size }

    package func read(into target: MutableBytes, at offset: UInt64) throws(IOFailure) -> Int {
        var done = 0
        while done < target.count {
            let rest = target.slice(done, target.count - done)
            let position = off_t(truncatingIfNeeded: offset &+ UInt64(done))
            let count = try SystemCall.run("read", label) {
                unsafe pread(descriptor.number, rest.start, rest.count, position)
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    package func contentOffset(from offset: UInt64) throws(IOFailure) -> UInt64 {
        #if canImport(Darwin)
            let whence = SEEK_DATA
        #else
            let whence = Int32(LINUX_SEEK_DATA)
        #endif
        do throws(IOFailure) {
            let found = try SystemCall.run("seek", label) {
                lseek(descriptor.number, off_t(truncatingIfNeeded: offset), whence)
            }
            return UInt64(found)
        } catch {
            // Only a hole follows.
            if error.errorNumber == ENXIO { return max(offset, try size()) }
            guard error.errorNumber == EINVAL || error.errorNumber == EOPNOTSUPP else { throw error }
            return offset
        }
    }

    package func mapping() -> (any FileMapping)? {
        #if canImport(Glibc)
            do throws(IOFailure) {
                return ReadMapping(descriptor, size: try size())
            } catch {
                // A read reports what is wrong with the file.
                return nil
            }
        #else
            // No guard turns the signal of a failed load into an error here.
            return nil
        #endif
    }

    package func adviseSequential(offset: UInt64, count: UInt64) {
        #if canImport(Darwin)
            var request = radvisory(
                ra_offset: off_t(truncatingIfNeeded: offset), ra_count: Int32(clamping: count))
            _ = unsafe fcntl(descriptor.number, F_RDADVISE, &request)
        #else
            _ = posix_fadvise(
                descriptor.number, off_t(truncatingIfNeeded: offset), off_t(truncatingIfNeeded: count),
                POSIX_FADV_WILLNEED)
        #endif
    }

    package func close() { _ = descriptor.close() }
}
