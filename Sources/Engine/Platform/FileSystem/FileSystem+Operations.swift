package import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension FileSystem {
    /// Opens a directory by path. Creates missing directories on the way with mode 0700, durably.
    package func openPrivateDirectory(_ path: String) throws(IOFailure) -> any Directory {
        do throws(IOFailure) {
            return try openDirectory(path, create: true)
        } catch {
            guard error.isMissing, let parent = FileName.parent(of: path) else { throw error }
            _ = try openPrivateDirectory(parent)
            return try openDirectory(path, create: true)
        }
    }
}

extension FileName {
    /// Returns the path of the directory that holds `path`; `nil` at the top.
    package static func parent(of path: String) -> String? {
        var path = Substring(path)
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        guard let slash = path.lastIndex(of: "/") else { return path == "." ? nil : "." }
        guard slash != path.startIndex else { return path == "/" ? nil : "/" }
        return String(path[..<slash])
    }

    /// Returns the last component of a path.
    package static func last(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
}

extension Directory {
    /// The name prefix of unfinished files. If no writer is active, a file with this prefix is left over from a crash.
    package static var unfinishedPrefix: String { ".shale-" }

    /// Replaces the content of the file `name` by `bytes`, atomically and durably, with mode 0600.
    ///
    /// A reader that opens the name, at any time and after any crash, finds the whole old content or the whole new one.
    /// If several writers run at once, the last rename wins.
    package func replace(_ name: String, with bytes: Bytes) throws(IOFailure) {
        let unfinished = Self.unfinishedPrefix + String(SystemRandom().next(), radix: 16)
        let file = try create(unfinished)
        do throws(IOFailure) {
            try file.write(bytes, at: 0)
            try file.sync()
            try file.close()
            try rename(unfinished, to: name, in: self)
        } catch {
            removeUnfinished(unfinished)
            throw error
        }
        if !PlantedBug.isActive(.skipReplacedName) { try sync() }
    }

    /// Ignores a failure to remove: the caller reports the error that led here.
    private func removeUnfinished(_ name: String) {
        do throws(IOFailure) { try remove(name) } catch {}
    }

    /// Returns the whole content of a file; nil if the file is longer than `limit` bytes.
    package func content(of name: String, limit: Int) throws(IOFailure) -> [UInt8]? {
        let file = try open(name)
        defer { file.close() }
        let size = try file.size()
        guard size <= UInt64(limit) else { return nil }
        let memory = OwnedBytes(count: Int(size))
        let count = try file.read(into: memory.mutable, at: 0)
        return memory.bytes.slice(0, count).array()
    }
}

extension ReadableFile {
    private static var pieceBytes: Int { 1 << 20 }

    /// Copies the whole content to the beginning of `target`, 1 MiB at a time. Does not sync or close.
    package func copy(to target: any WritableFile) throws(IOFailure) {
        let buffer = OwnedBytes(count: Self.pieceBytes)
        var offset: UInt64 = 0
        while true {
            let count = try read(into: buffer.mutable, at: offset)
            if count == 0 { return }
            try target.write(buffer.bytes.slice(0, count), at: offset)
            offset += UInt64(count)
        }
    }
}

extension FileLock {
    /// Writes this process's id into the lock file, for other processes' error messages.
    ///
    /// The lock holds even if the disk has no room for the text or the file may not be written.
    ///
    /// - Returns: False if the text could not be written.
    @discardableResult
    package func publishHolder() -> Bool {
        let text = OwnedBytes(Array("pid=\(getpid())\n".utf8))
        defer { withExtendedLifetime(text) {} }
        do throws(IOFailure) { try publish(text.bytes) } catch { return false }
        return true
    }
}

extension Directory {
    /// Returns what the holder of a lock wrote into the lock file ("pid=4711"), for the message of a `.locked` error.
    ///
    /// The text is only a hint: it may be from the last holder. Returns `nil` if it can't be read.
    package func lockHolder(_ name: String) -> String? {
        do throws(IOFailure) {
            let file = try open(name)
            defer { file.close() }
            let text = OwnedBytes(count: 64)
            let count = try file.read(into: text.mutable, at: 0)
            let line = text.bytes.slice(0, count).array().prefix { $0 != UInt8(ascii: "\n") }
            let holder = String(decoding: line, as: UTF8.self)
            return holder.hasPrefix("pid=") ? holder : nil
        } catch {
            // The caller is about to report that the lock is held; the reason why its holder is unknown would distract.
            return nil
        }
    }
}
