package import ShaleBase

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
