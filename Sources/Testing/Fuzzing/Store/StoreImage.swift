import ShaleBase
import ShaleManifest
import ShaleSimulation

/// The files of a store as one byte sequence, and back. Each file is kind u8 | number u16 | length u32 | content.
///
/// Trailing zeros of a preallocated file are omitted, which every reader allows.
struct StoreImage {
    private enum Kind: UInt8, CaseIterable {
        case current
        case manifest
        case log
        case segment
        case values
    }

    private static let headerBytes = 7
    static let path = "/store/"

    /// The content of each file, by path relative to the store.
    private(set) var files: [String: [UInt8]] = [:]

    /// Decodes any bytes and corrects the checksums of every file. A length beyond the end of the input is cut.
    init(decoding input: [UInt8]) {
        var offset = 0
        while offset + StoreImage.headerBytes <= input.count {
            let kind = Kind.allCases[Int(input[offset]) % Kind.allCases.count]
            let number = UInt64(input.word(UInt16.self, at: offset + 1) ?? 0)
            let claimed = Int(input.word(UInt32.self, at: offset + 3) ?? 0)
            offset += StoreImage.headerBytes
            let length = min(claimed, input.count - offset)
            var content = Array(input[offset..<(offset + length)])
            offset += length
            StoreImage.seal(&content, kind, number)
            files[StoreImage.name(kind, number)] = content
        }
    }

    private static func seal(_ content: inout [UInt8], _ kind: Kind, _ number: UInt64) {
        switch kind {
        case .current: if content.count >= 64 { content.put(content.checksum(0, 56, file: 0), at: 56) }
        case .manifest, .log: LogSealer.seal(&content, number: number)
        case .segment: SegmentSealer.seal(&content, number: number)
        case .values: ValueFileSealer.seal(&content, number: number)
        }
    }

    private static func name(_ kind: Kind, _ number: UInt64) -> String {
        switch kind {
        case .current: StoreLayout.current
        case .manifest: StoreLayout.manifest(number)
        case .log: StoreLayout.logPath(number)
        case .segment: StoreLayout.segmentPath(number)
        case .values: StoreLayout.valuesPath(number)
        }
    }

    /// Writes the files, and the directories of a store also if they are empty: a closed store has no log.
    func write(to fileSystem: SimulatedFileSystem) {
        for name in [StoreLayout.logDirectory, StoreLayout.segmentDirectory] {
            fileSystem.makeDirectory(StoreImage.path + name)
        }
        for (name, content) in files { fileSystem.write(StoreImage.path + name, content) }
    }

    /// Returns the image of a store on a disk.
    static func encode(_ fileSystem: SimulatedFileSystem) -> [UInt8] {
        var image: [UInt8] = []
        for path in fileSystem.paths() where path.hasPrefix(StoreImage.path) {
            guard let (kind, number) = identity(String(path.dropFirst(StoreImage.path.count))),
                let content = fileSystem.read(path)
            else { continue }
            let end = (content.lastIndex { $0 != 0 } ?? -1) + 1
            image.append(kind.rawValue)
            image.append(word: UInt16(truncatingIfNeeded: number))
            image.append(word: UInt32(end))
            image += content.prefix(end)
        }
        return image
    }

    private static func identity(_ name: String) -> (kind: Kind, number: UInt64)? {
        let last = String(name.split(separator: "/").last ?? "")
        if name == StoreLayout.current { return (.current, 0) }
        if let number = StoreLayout.manifestNumber(last) { return (.manifest, number) }
        if let number = StoreLayout.logNumber(last) { return (.log, number) }
        if let number = StoreLayout.valuesNumber(last) { return (.values, number) }
        return StoreLayout.segmentNumber(last).map { (.segment, $0) }
    }
}
