import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The child's message to its parent that an action has returned: eight bytes in one `write(2)`, which a pipe delivers
/// whole. A written message reaches the parent even if the child dies.
struct Acknowledgement {
    static let byteCount = 8

    let writer: Int
    /// The index of the writer's action in this cycle.
    let action: Int

    /// Sent after the child has closed the store.
    static let closed = Acknowledgement(writer: 0xffff, action: 0)

    init(writer: Int, action: Int) {
        self.writer = writer
        self.action = action
    }

    init(_ bytes: ArraySlice<UInt8>) {
        let words = bytes.map { Int($0) }
        writer = words[0] | words[1] << 8
        action = words[4] | words[5] << 8 | words[6] << 16 | words[7] << 24
    }

    func send(to descriptor: Int32) throws {
        var bytes = [UInt8](repeating: 0, count: Acknowledgement.byteCount)
        for index in 0..<2 { bytes[index] = UInt8(truncatingIfNeeded: writer &>> (8 * index)) }
        for index in 0..<4 { bytes[4 + index] = UInt8(truncatingIfNeeded: action &>> (8 * index)) }
        let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw KillLoopError("write to the pipe: \(count), errno=\(errno)") }
    }
}

/// A failure of the loop itself, or a broken promise that it found.
struct KillLoopError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
