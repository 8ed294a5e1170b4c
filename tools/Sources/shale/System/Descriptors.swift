/// Writes all of `bytes` with plain `write(2)`: once it returns, the bytes reach the reader even if this process dies.
func writeFully(_ bytes: [UInt8], to descriptor: Int32, named name: String) throws {
    var written = 0
    while written < bytes.count {
        let count = unsafe bytes.withUnsafeBytes { buffer in
            let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
            return unsafe write(descriptor, rest.baseAddress, rest.count)
        }
        if count > 0 {
            written += count
        } else if errno != EINTR {
            throw ToolFailure.system("write", name)
        }
    }
}

/// Copied into buffers to extend them; copying memory is cheaper than appending elements.
private let zeros = [UInt8](repeating: 0, count: 256 << 10)

/// Reads once and appends to `buffer` at most `count` bytes, and at most 256 KiB. Returns false at the end of the file.
func readMore(into buffer: inout [UInt8], upTo count: Int, from descriptor: Int32, named name: String) throws -> Bool {
    let old = buffer.count
    let count = min(count, zeros.count)
    buffer.append(contentsOf: zeros[..<count])
    while true {
        let received = unsafe buffer.withUnsafeMutableBytes { memory in
            let free = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[old...])
            return unsafe read(descriptor, free.baseAddress, free.count)
        }
        if received >= 0 {
            buffer.removeLast(count - received)
            return received > 0
        }
        guard errno == EINTR else {
            buffer.removeLast(count)
            throw ToolFailure.system("read", name)
        }
    }
}

/// Reads everything from a descriptor. Throws if it is larger than the largest value of a store, which one additional
/// byte reveals.
func readAll(_ descriptor: Int32, named name: String) throws -> [UInt8] {
    let limit = InputLimits.recordBytes
    var bytes: [UInt8] = []
    while bytes.count <= limit,
        try readMore(into: &bytes, upTo: limit + 1 - bytes.count, from: descriptor, named: name)
    {}
    guard bytes.count <= limit else { throw ToolFailure.badInput("\(name) is longer than \(limit) bytes") }
    return bytes
}
