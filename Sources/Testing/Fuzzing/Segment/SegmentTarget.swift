import ShaleSegment

extension FuzzTarget {
    /// Input: a segment file.
    static let segment = FuzzTarget(
        "segment", "segment: a whole file",
        seeds: {
            try [
                SegmentSample.file(count: 1), SegmentSample.file(count: 30),
                SegmentSample.file(count: 20, filterBitsPerKey: 0), SegmentSample.file(codec: .lz4, count: 40),
                SegmentSample.file(codec: .zstd(level: 1), count: 40, blockBytes: 2000),
                DictionarySample.shared.get().file,
            ]
        }
    ) { input in
        var file = input
        SegmentSealer.seal(&file, number: SegmentParts.number)
        try SegmentCheck(file)?.readAll()
    }
}
