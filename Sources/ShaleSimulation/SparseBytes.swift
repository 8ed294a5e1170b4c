import ShaleBase

/// The content of a simulated file: pages of 16 KiB, an empty array standing for a page of zeros. Copies share pages
/// until one of them writes, so that cloning a file system costs next to nothing.
struct SparseBytes {
    static let pageBytes = 16 << 10

    private(set) var count = 0
    private var pages: [[UInt8]] = []

    init() {}

    init(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { write(unsafe Bytes($0), at: 0) }
    }

    /// Bytes behind the end that are skipped over become zeros.
    mutating func write(_ source: Bytes, at offset: Int) {
        if offset + source.count > count { resize(to: offset + source.count) }
        var done = 0
        while done < source.count {
            let (page, start) = (offset + done).quotientAndRemainder(dividingBy: SparseBytes.pageBytes)
            let length = min(SparseBytes.pageBytes - start, source.count - done)
            if pages[page].isEmpty { pages[page] = [UInt8](repeating: 0, count: SparseBytes.pageBytes) }
            unsafe pages[page].withUnsafeMutableBytes { target in
                unsafe target[start..<start + length].copyBytes(from: source.slice(done, length).buffer)
            }
            done += length
        }
    }

    mutating func write(_ source: [UInt8], at offset: Int) {
        unsafe source.withUnsafeBytes { write(unsafe Bytes($0), at: offset) }
    }

    /// How many bytes were there to be read.
    func read(into target: MutableBytes, at offset: Int) -> Int {
        let length = max(0, min(target.count, count - offset))
        var done = 0
        while done < length {
            let (page, start) = (offset + done).quotientAndRemainder(dividingBy: SparseBytes.pageBytes)
            let part = min(SparseBytes.pageBytes - start, length - done)
            if pages[page].isEmpty {
                target.zero(done, part)
            } else {
                unsafe pages[page].withUnsafeBytes { source in
                    target.copy(unsafe Bytes(UnsafeRawBufferPointer(rebasing: source[start..<start + part])), at: done)
                }
            }
            done += part
        }
        return length
    }

    mutating func resize(to size: Int) {
        let pageCount = (size + SparseBytes.pageBytes - 1) / SparseBytes.pageBytes
        if size < count {
            pages.removeLast(pages.count - pageCount)
            let used = size % SparseBytes.pageBytes
            // What is cut off must not come back when the file grows again.
            if used > 0, let last = pages.indices.last, !pages[last].isEmpty {
                for index in used..<SparseBytes.pageBytes { pages[last][index] = 0 }
            }
        } else if pageCount > pages.count {
            pages.append(contentsOf: repeatElement([], count: pageCount - pages.count))
        }
        count = size
    }

    var array: [UInt8] {
        let buffer = OwnedBytes(count: count)
        _ = read(into: buffer.mutable, at: 0)
        return buffer.bytes.array()
    }
}
