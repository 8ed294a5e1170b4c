import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension FileLock {
    /// Names this process as the holder, for others' error messages. The lock holds whether or not the disk has room for the
    /// text, and whether or not the file may be written.
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
    /// What the holder of a lock wrote into the lock file ("pid=4711"), for the message of a `.locked` error. Only a
    /// hint: nil when it can't be read, and it may be the last holder's.
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
            // The caller is about to report that the lock is held; why its holder is unknown would only distract.
            return nil
        }
    }
}
