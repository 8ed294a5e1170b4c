// A cache of images, or of any large responses: files of the machine are put in as they are read, parts of them are
// read back, a capacity keeps the newest, and a purge gives the disk space back.
//
//   image-cache [NUMBER [DIRECTORY]]    how many files, and from below which directory; 200 files from /usr
import ExampleSupport
import Foundation
import Shale

@main
struct ImageCache {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let number = arguments.count > 1 ? Int(arguments[1]) ?? 200 : 200
        let files = try Self.files(number, below: arguments.count > 2 ? arguments[2] : "/usr")
        let directory = try makeTemporaryDirectory()
        do {
            try await run(directory, files)
        } catch {
            try FileManager.default.removeItem(atPath: directory)
            throw error
        }
        try FileManager.default.removeItem(atPath: directory)
    }

    static func run(_ directory: String, _ files: [String]) async throws {
        var options = Store.Options()
        // From 16 KiB on a value is written once, to a value file: compactions move a reference to it.
        options.engine.largeValueBytes = 16 << 10
        let store = try Store(at: directory + "/store", options: options)
        let images = store.common["images"]
        try images.setOptions(NamespaceOptions(isPurgeable: true))

        let bytes = try fill(images, files)
        try readParts(images, files)
        try cap(images, store, at: Int64(bytes / 2))
        try await download(images)
        try purge(images, store)
        try await store.close()
    }

    /// Returns the paths of readable files of up to 1 GiB.
    static func files(_ number: Int, below directory: String) throws -> [String] {
        guard let walk = FileManager.default.enumerator(atPath: directory) else { return [] }
        var found: [String] = []
        while found.count < number, let name = walk.nextObject() as? String {
            let path = directory + "/" + name
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            guard attributes[.type] as? FileAttributeType == .typeRegular,
                FileManager.default.isReadableFile(atPath: path), let size = attributes[.size] as? Int,
                size < 1 << 30
            else { continue }
            found.append(path)
        }
        return found
    }

    static func fill(_ images: Store.Namespace, _ files: [String]) throws -> Int {
        let start = ContinuousClock.now
        var bytes = 0
        for path in files {
            // In pieces: no file is in memory as a whole. One of 1 MiB or more gets a value file of its own.
            try images.setBytes(ofFile: path, forKey: path)
            bytes += try images.info(forKey: path)?.payloadByteCount ?? 0
        }
        expect(try images.count() == files.count, "every file is in the cache")
        print("put in \(files.count) files with \(bytes >> 20) MiB in \(ContinuousClock.now - start)")
        return bytes
    }

    static func readParts(_ images: Store.Namespace, _ files: [String]) throws {
        let start = ContinuousClock.now
        for path in files {
            guard let handle = FileHandle(forReadingAtPath: path), let info = try images.info(forKey: path) else {
                return expect(false, "\(path) is there")
            }
            defer { try? handle.close() }
            // The middle of the file: of a large value only the chunks of 64 KiB that overlap the range are read.
            let middle = info.payloadByteCount / 2
            try handle.seek(toOffset: UInt64(middle))
            let expected = try handle.read(upToCount: 4096) ?? Data()
            expect(
                try images.bytes(forKey: path, in: middle..<middle + 4096) == [UInt8](expected),
                "a range is that of the file \(path)")
        }
        print("read 4 KiB from the middle of each in \(ContinuousClock.now - start)")
    }

    /// A response that arrives in pieces is there as a whole, or not at all.
    static func download(_ images: Store.Namespace) async throws {
        struct LostConnection: Error {}
        func response(_ pieces: Int, fails: Bool) -> AsyncThrowingStream<[UInt8], any Error> {
            AsyncThrowingStream { continuation in
                for piece in 0..<pieces { continuation.yield([UInt8](repeating: UInt8(piece), count: 300_000)) }
                continuation.finish(throwing: fails ? LostConnection() : nil)
            }
        }
        do {
            try await images.setBytes(from: response(10, fails: true), forKey: "https://example.org/a.png")
            expect(false, "the connection is lost")
        } catch is LostConnection {
            expect(try !images.contains("https://example.org/a.png"), "nothing of a lost response is stored")
        }
        try await images.setBytes(from: response(10, fails: false), forKey: "https://example.org/a.png")
        expect(
            try images.info(forKey: "https://example.org/a.png")?.payloadByteCount == 3_000_000,
            "a whole response is stored")
    }

    /// The policy keeps the newest entries. It counts the bytes of the values, wherever they are.
    static func cap(_ images: Store.Namespace, _ store: Store, at capacity: Int64) throws {
        var options = NamespaceOptions(isPurgeable: true)
        options.purgePolicy = PurgePolicy(maximumBytes: capacity)
        try images.setOptions(options)
        let start = ContinuousClock.now
        let report = try store.purge(by: .policies)
        var kept: Int64 = 0
        for key in try images.keys.array() { kept += Int64(try images.info(forKey: key)?.payloadByteCount ?? 0) }
        expect(kept <= capacity, "the entries that stay take \(kept) bytes, the capacity is \(capacity)")
        expect(kept > 0, "the newest entries stay")
        print(
            "removed \(report.entries) of the oldest to keep \(capacity >> 20) MiB, in \(ContinuousClock.now - start)")
    }

    static func purge(_ images: Store.Namespace, _ store: Store) throws {
        let start = ContinuousClock.now
        let report = try store.purge()
        let time = ContinuousClock.now - start
        expect(try images.count() == 0, "a purge takes every purgeable entry")
        print("purged \(report.entries) entries in \(time); \(report.returnedBytes >> 20) MiB of the disk given back")
    }
}
