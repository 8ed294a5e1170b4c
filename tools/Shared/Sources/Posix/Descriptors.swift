/// Writes all of `bytes` with plain `write(2)`: once it returns, the bytes reach the reader even if this process dies.
public func writeFully(_ bytes: [UInt8], to descriptor: Int32, named name: String) throws(SystemCallError) {
    try unsafe writeFully(bytes.span.bytes, to: descriptor, named: name)
}

/// Writes all of `bytes`, as the function for arrays does.
public func writeFully(_ bytes: RawSpan, to descriptor: Int32, named name: String) throws(SystemCallError) {
    try unsafe bytes.withUnsafeBytes { (buffer) throws(SystemCallError) in
        try unsafe writeFully(buffer, to: descriptor, named: name)
    }
}

private func writeFully(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, named name: String
) throws(SystemCallError) {
    var written = 0
    while written < bytes.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
        let count = unsafe write(descriptor, rest.baseAddress, rest.count)
        if count > 0 {
            written += count
        } else if errno != EINTR {
            throw SystemCallError("write", name)
        }
    }
}

/// Copied into buffers to extend them; copying memory is cheaper than appending elements.
private let zeros = [UInt8](repeating: 0, count: 256 << 10)

/// Reads once and appends to `buffer` at most `count` bytes, and at most 256 KiB. Returns false at the end of the file.
public func readMore(
    into buffer: inout [UInt8], upTo count: Int, from descriptor: Int32, named name: String
) throws(SystemCallError) -> Bool {
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
            throw SystemCallError("read", name)
        }
    }
}
