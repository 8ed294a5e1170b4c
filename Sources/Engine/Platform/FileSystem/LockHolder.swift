import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
