extension Rooflines {
    private struct Line: Encodable {
        let writesPerSecondMedian: Double
        let writesPerSecondBest: Double
        let recordBytes: Int
        let copyBytesPerSecond: Double
        let lz4BytesPerSecond: Double
        let zstdBytesPerSecond: Double
        let lz4Ratio: Double
        let zstdRatio: Double
    }

    func describe(in report: Report) throws {
        let rates = decompression
        print(
            "rooflines   write(2) of \(recordBytes) bytes: median \(Format.grouped(writeRates.median))/s, "
                + "best \(Format.grouped(writeRates.max() ?? 0))/s")
        print(
            "            memcpy \(Format.fixed(copyBytesPerSecond / 1e9, 1)) GB/s; decompression of 16 KiB blocks: "
                + "LZ4 \(Format.fixed(rates.lz4 / 1e6, 0)) MB/s (stored \(Format.fixed(rates.lz4Ratio, 2))), "
                + "zstd 1 \(Format.fixed(rates.zstd / 1e6, 0)) MB/s (stored \(Format.fixed(rates.zstdRatio, 2)))")
        try report.write(
            "rooflines",
            Line(
                writesPerSecondMedian: writeRates.median, writesPerSecondBest: writeRates.max() ?? 0,
                recordBytes: recordBytes, copyBytesPerSecond: copyBytesPerSecond, lz4BytesPerSecond: rates.lz4,
                zstdBytesPerSecond: rates.zstd, lz4Ratio: rates.lz4Ratio, zstdRatio: rates.zstdRatio))
    }
}
