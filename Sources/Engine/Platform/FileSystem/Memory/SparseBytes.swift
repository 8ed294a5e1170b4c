package import ShaleBase

/// The content of a file in memory: pages of 16 KiB, or of 4 KiB in builds with `SHALE_SCHEDULES`. An empty array
/// stands for a page of zeros.
///
/// Copies share pages until one of them writes, so that cloning a simulated file system is cheap. Pages below 1 GiB are
/// in an array up to the last written one. Pages above are kept individually, so that a hole of terabytes uses no
/// memory.
package struct SparseBytes: Sendable {
    #if SHALE_SCHEDULES
        // The files of a run are small, and most pages are copied for one write.
        package static let pageBytes = 4 << 10
    #else
        package static let pageBytes = 16 << 10
    #endif
    /// Pages with lower numbers, up to 1 GiB, are in `dense`.
    private static let densePagesMax = 1 << 16

    package private(set) var count = 0
    private var dense: [[UInt8]] = []
    private var sparse: [Int: [UInt8]] = [:]

    package init() {}

    package init(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { write(unsafe Bytes($0), at: 0) }
    }

    /// Writes `source` at `offset`. A gap between the old end and `offset` becomes zeros.
    package mutating func write(_ source: Bytes, at offset: Int) {
        if offset + source.count > count { resize(to: offset + source.count) }
        var done = 0
        while done < source.count {
            let (page, start) = (offset + done).quotientAndRemainder(dividingBy: SparseBytes.pageBytes)
            let length = min(SparseBytes.pageBytes - start, source.count - done)
            let part = source.slice(done, length)
            if page < SparseBytes.densePagesMax {
                if page >= dense.count { dense.append(contentsOf: repeatElement([], count: page + 1 - dense.count)) }
                SparseBytes.store(part, in: &dense[page], at: start)
            } else {
                SparseBytes.store(part, in: &sparse[page, default: []], at: start)
            }
            done += length
        }
    }

    private static func store(_ bytes: Bytes, in page: inout [UInt8], at start: Int) {
        if page.isEmpty { page = [UInt8](repeating: 0, count: SparseBytes.pageBytes) }
        unsafe page.withUnsafeMutableBytes { target in
            unsafe target[start..<start + bytes.count].copyBytes(from: bytes.buffer)
        }
    }

    package mutating func write(_ source: [UInt8], at offset: Int) {
        unsafe source.withUnsafeBytes { write(unsafe Bytes($0), at: offset) }
    }

    /// Reads into `target`. Returns the number of bytes read.
    package func read(into target: MutableBytes, at offset: Int) -> Int {
        let length = max(0, min(target.count, count - offset))
        var done = 0
        while done < length {
            let (number, start) = (offset + done).quotientAndRemainder(dividingBy: SparseBytes.pageBytes)
            let part = min(SparseBytes.pageBytes - start, length - done)
            let page = number < dense.count ? dense[number] : sparse[number] ?? []
            if page.isEmpty {
                target.zero(done, part)
            } else {
                unsafe page.withUnsafeBytes { source in
                    target.copy(unsafe Bytes(UnsafeRawBufferPointer(rebasing: source[start..<start + part])), at: done)
                }
            }
            done += part
        }
        return length
    }

    package mutating func resize(to size: Int) {
        if size < count {
            let pageCount = (size + SparseBytes.pageBytes - 1) / SparseBytes.pageBytes
            dense.removeLast(max(0, dense.count - pageCount))
            if !sparse.isEmpty { sparse = sparse.filter { $0.key < pageCount } }
            let used = size % SparseBytes.pageBytes
            // Bytes that were cut off must not reappear when the file grows again.
            if used > 0 {
                let zeros = [UInt8](repeating: 0, count: SparseBytes.pageBytes - used)
                if isWritten(pageCount - 1) { write(zeros, at: (pageCount - 1) * SparseBytes.pageBytes + used) }
            }
        }
        count = size
    }

    private func isWritten(_ page: Int) -> Bool {
        page < dense.count ? !dense[page].isEmpty : sparse[page] != nil
    }

    /// Returns the offset at or after `offset` at which content begins; `count` if no content follows.
    package func contentOffset(from offset: Int) -> Int {
        var page = offset / SparseBytes.pageBytes
        if offset >= count || isWritten(page) { return offset }
        while page < dense.count, dense[page].isEmpty { page += 1 }
        if page < dense.count { return page * SparseBytes.pageBytes }
        return sparse.keys.filter { $0 >= page }.min().map { $0 * SparseBytes.pageBytes } ?? count
    }

    /// A hash of the size and of the written pages: equal for copies.
    package var digest: UInt64 {
        var digest = UInt64(truncatingIfNeeded: count)
        func add(_ number: Int, _ page: [UInt8]) {
            guard !page.isEmpty else { return }
            let hash = unsafe page.withUnsafeBytes { XXH3.hash(unsafe Bytes($0)) }
            digest = SparseBytes.combined(SparseBytes.combined(digest, UInt64(truncatingIfNeeded: number)), hash)
        }
        for (number, page) in dense.enumerated() { add(number, page) }
        for (number, page) in sparse.sorted(by: { $0.key < $1.key }) { add(number, page) }
        return digest
    }

    /// Both numbers in one, which depends on their order.
    package static func combined(_ first: UInt64, _ second: UInt64) -> UInt64 {
        (first ^ second &+ 0x9e37_79b9_7f4a_7c15 &+ first << 6 &+ first >> 2) &* 0xff51_afd7_ed55_8ccd
    }

    /// The bytes of memory that the pages take.
    package var allocatedBytes: Int {
        (dense.count { !$0.isEmpty } + sparse.values.count { !$0.isEmpty }) * SparseBytes.pageBytes
    }

    package var array: [UInt8] {
        let buffer = OwnedBytes(count: count)
        _ = read(into: buffer.mutable, at: 0)
        return buffer.bytes.array()
    }
}
