import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// The calls that make things durable.
enum PosixSync {
    /// What a successful sync is worth.
    enum Outcome {
        /// On the medium.
        case durable
        /// As far as this file system goes: handed to the device, or to a server, without a flush of its cache.
        case reduced
    }

    /// Content and size of a file.
    static func file(_ descriptor: Int32, _ name: @autoclosure () -> String) throws(IOFailure) -> Outcome {
        #if canImport(Darwin)
            return try full(descriptor, name())
        #else
            try SystemCall.once("fdatasync", name(), fdatasync(descriptor))
            return .durable
        #endif
    }

    /// The names in a directory.
    static func directory(_ descriptor: Int32, _ name: @autoclosure () -> String) throws(IOFailure) -> Outcome {
        #if canImport(Darwin)
            return try full(descriptor, name())
        #else
            if fsync(descriptor) == 0 { return .durable }
            let number = errno
            // Some network and guest file systems know no sync of directories and say so, always: no write was lost.
            guard isUnsupported(number) else { throw IOFailure("fsync", name(), number) }
            return .reduced
        #endif
    }

    #if canImport(Darwin)
        /// `fsync` leaves data in the drive's cache on Darwin; only F_FULLFSYNC empties it. File systems that refuse
        /// it (network, FAT) get what they have.
        private static func full(_ descriptor: Int32, _ name: @autoclosure () -> String) throws(IOFailure) -> Outcome {
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return .durable }
            let number = errno
            guard isUnsupported(number) else { throw IOFailure("F_FULLFSYNC", name(), number) }
            try SystemCall.once("fsync", name(), fsync(descriptor))
            return .reduced
        }
    #endif

    private static func isUnsupported(_ number: Int32) -> Bool {
        number == ENOTSUP || number == EINVAL || number == ENOTTY
    }
}
