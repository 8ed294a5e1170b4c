import ShaleBase
import ShalePlatform
import ShaleSegment

/// Reads an untrusted segment in every possible way. Each way must either throw an error that names file and offset, or
/// agree with the others.
struct SegmentCheck {
    private static let lookupsMax = 24

    let metadata: SegmentMetadata
    private let segment: Segment
    private let environment: SegmentEnvironment

    /// Opens the segment; `nil` if its metadata can't be read.
    init?(_ file: [UInt8]) throws {
        let directory = ReadOnlyDirectory([SegmentParts.name: file])
        environment = SegmentEnvironment(memoryBudget: 1 << 20, openFileLimit: 16)
        do throws(StorageError) {
            metadata = try Segment.metadata(
                number: SegmentParts.number, directory: directory, environment: environment)
        } catch {
            try requireTyped(error)
            return nil
        }
        segment = Segment(metadata: metadata, directory: directory, environment: environment)
    }

    /// Reads everything; `each` gets the entries in order. Returns the digest, or `nil` if a part is damaged.
    ///
    /// Across its blocks, a forged file may have entries in the wrong order, or hide entries behind its filter.
    /// `verify` must detect that.
    @discardableResult
    func readAll(each: (Entry) -> Void = { _ in }) throws -> EntryDigest? {
        var samples: [Sample] = []
        let forward = try digest(.forward, ScanOptions(fillCache: false)) { entry in
            each(entry)
            if samples.count < SegmentCheck.lookupsMax { samples.append(Sample(entry)) }
        }
        let backward = try digest(.backward, .compaction) { _ in }
        try require(forward == backward, "a segment differs between directions")
        let failure = verify()
        if let failure { try requireTyped(failure) }
        try require(failure != nil || forward?.isOrdered == true, "a segment that verifies is not in order")
        for sample in samples { try lookUp(sample, mustFind: failure == nil) }
        return forward
    }

    /// Returns the error of `verify`; `nil` if the segment is valid.
    func verify() -> StorageError? {
        do {
            try segment.verify()
            return nil
        } catch {
            return error
        }
    }

    private func digest(
        _ direction: Direction, _ options: ScanOptions, each: (Entry) -> Void
    ) throws -> EntryDigest? {
        do {
            return try EntryDigest(EntryCursor(segment, headOffset: 0, options: options), direction, each: each)
        } catch let error as StorageError {
            try requireTyped(error)
            return nil
        }
    }

    private func lookUp(_ sample: Sample, mustFind: Bool) throws {
        let pin = environment.domain.pin()
        defer { environment.domain.unpin(pin) }
        do {
            let found = try sample.key.withBytes { (key) throws(StorageError) in
                try segment.get(key, hash: XXH3.hash(key), through: sample.trailer.sequence, fillCache: false)
            }
            guard mustFind else { return }
            // Only a forged block has two entries of one key with one sequence. The first one is then the expected
            // result.
            guard let found, found.trailer.sequence == sample.trailer.sequence,
                found.trailer != sample.trailer || found.value.array() == sample.value
            else { throw FuzzFinding("a segment that verifies hides an entry: \(sample)") }
        } catch let error as StorageError {
            try requireTyped(error)
            try require(!mustFind, "a segment that verifies can't be read: \(error)")
        }
    }
}

private struct Sample {
    let key: [UInt8]
    let trailer: Trailer
    let value: [UInt8]

    init(_ entry: Entry) {
        key = entry.key.array()
        trailer = entry.trailer
        value = entry.value.array()
    }
}
