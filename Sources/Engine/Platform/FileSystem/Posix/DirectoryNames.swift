import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Directory listings.
enum DirectoryNames {
    private static let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC

    /// Returns a name as text. Bytes that are not UTF-8 are replaced.
    static func text(_ name: [CChar]) -> String {
        String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Returns the names in a directory as raw bytes, each terminated by 0, unordered.
    static func list(_ directory: Descriptor, _ path: String) throws(IOFailure) -> [[CChar]] {
        // Opens a description of its own: a duplicate would share the read position with other listings.
        let number = try SystemCall.run("list", path) { unsafe openat(directory.number, ".", flags) }
        guard let stream = unsafe fdopendir(number) else {
            let failure = IOFailure("list", path, errno)
            _ = Descriptor(number)
            throw failure
        }
        defer { unsafe closedir(stream) }
        let nameOffset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
        let dots: [[CChar]] = [[46, 0], [46, 46, 0]]
        var names: [[CChar]] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else { break }
            let text = unsafe (UnsafeRawPointer(entry) + nameOffset).assumingMemoryBound(to: CChar.self)
            let name = unsafe Array(UnsafeBufferPointer(start: text, count: strlen(text) + 1))
            if !dots.contains(name) { names.append(name) }
        }
        if errno != 0 { throw IOFailure("list", path, errno) }
        return names
    }
}
