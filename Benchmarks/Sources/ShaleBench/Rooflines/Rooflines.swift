/// What the machine can do at most, measured in this run and on the file system of the store.
struct Rooflines {
    /// What the engine's log adds to a commit: a chunk header of 20 bytes and a batch header of 16; and to key and
    /// value: 12 (DESIGN.md, "Record log" and "Batch").
    private static let commitBytes = 36
    private static let operationBytes = 12

    private let directory: String
    private let entryBytes: Int
    let copyBytesPerSecond: Double
    let decompression: DecompressionRoofline.Rates
    /// Records of one entry per second.
    let writeRates: [Double]

    init(directory: String, settings: StoreSettings, values: ValuePool) throws {
        self.directory = directory
        entryBytes = settings.entryBytes
        let write = Rooflines.write(directory, Rooflines.recordBytes(1, settings.entryBytes))
        _ = try write.measure(passes: 1)
        writeRates = try write.measure(passes: 7)
        copyBytesPerSecond = MemoryRoofline.measure(passes: 5)
        decompression = try DecompressionRoofline(values: values, keyBytes: settings.keyBytes).measure(passes: 5)
    }

    /// Commits of `entries` entries, in the page cache.
    func write(entries: Int) -> WriteRoofline { Rooflines.write(directory, Rooflines.recordBytes(entries, entryBytes)) }

    /// Commits of one entry, on the device.
    var sync: SyncRoofline { SyncRoofline(directory: directory, recordBytes: recordBytes) }

    /// What the log writes for a commit of one entry.
    var recordBytes: Int { Rooflines.recordBytes(1, entryBytes) }

    private static func recordBytes(_ entries: Int, _ entryBytes: Int) -> Int {
        commitBytes + entries * (operationBytes + entryBytes)
    }

    private static func write(_ directory: String, _ recordBytes: Int) -> WriteRoofline {
        WriteRoofline(directory: directory, recordBytes: recordBytes)
    }
}

extension Array<Double> {
    /// The middle one, or the mean of the two in the middle; 0 without elements.
    var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}
