import ShaleBase
import ShalePlatform
import ShaleSegment

/// Reads a segment of anybody's making in every way there is. Each way ends in an error that names the place, or its
/// answers agree with the others'.
struct SegmentCheck {
    private static let lookupsMax = 24

    let metadata: SegmentMetadata
    private let segment: Segment
    private let environment: SegmentEnvironment

    /// Nil when the file does not say what it is.
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

    /// Reads everything; `each` sees the entries in order. What a walk found, or nil when some of it is damaged.
    @discardableResult
    func readAll(each: (Entry) -> Void = { _ in }) throws -> EntryDigest? {
        var samples: [(key: [UInt8], trailer: Trailer, value: [UInt8])] = []
        let forward = try digest(.forward, ScanOptions(fillCache: false)) { entry in
            each(entry)
            if samples.count < SegmentCheck.lookupsMax {
                samples.append((entry.key.array(), entry.trailer, entry.value.array()))
            }
        }
        let backward = try digest(.backward, .compaction) { _ in }
        try require(forward == backward, "a segment differs between directions")
        try lookUp(samples)
        if let failure = verify() { try requireTyped(failure) }
        return forward
    }

    /// What `verify` says; nil = nothing is wrong.
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

    /// A filter or an index that lies may hide an entry, which `verify` finds; what is found is the entry that was asked for.
    private func lookUp(_ samples: [(key: [UInt8], trailer: Trailer, value: [UInt8])]) throws {
        for sample in samples {
            let pin = environment.domain.pin()
            defer { environment.domain.unpin(pin) }
            do {
                let found = try sample.key.withBytes { (key) throws(StorageError) in
                    try segment.get(
                        key, hash: XXH3.hash(key), through: sample.trailer.sequence, fillCache: false)
                }
                guard let found else { continue }
                try require(
                    found.trailer == sample.trailer && found.value.array() == sample.value,
                    "a lookup finds another entry than a walk")
            } catch let error as StorageError {
                try requireTyped(error)
            }
        }
    }
}
