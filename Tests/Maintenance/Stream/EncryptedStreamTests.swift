import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

@Suite struct EncryptedStreamTests {
    private let files = SimulatedFileSystem(seed: 1)

    private func stream(_ key: UInt8?) throws -> [UInt8] {
        let engine = try StoreScript.open(files, ManualTime())
        let namespace = try engine.createNamespace(named: Array("nameInTheCatalogue".utf8))
        try engine.put(Array("valueInTheClear".utf8), forKey: Array("keyInTheClear".utf8), in: namespace)
        let stream = try StreamedBackup.stream(of: engine, key: key)
        try engine.close()
        return stream
    }

    private func refusal(
        _ stream: [UInt8], _ key: UInt8?, _ change: (inout BackupStreamOptions) -> Void = { _ in }
    ) -> StorageError.Code? {
        var options = StreamedBackup.options(key)
        change(&options)
        var rest = stream
        let refusal = code { () throws(StorageError) in
            _ = try Maintenance.restore(into: StreamedBackup.target, options: options, fileSystem: files) {
                defer { rest = [] }
                return rest
            }
        }
        if refusal != nil { #expect(files.paths().allSatisfy { !$0.hasPrefix(StreamedBackup.target) }) }
        return refusal
    }

    @Test func nothingOfTheStoreIsInTheClear() throws {
        let clear = try stream(nil)
        let sealed = try stream(9)
        for text in ["nameInTheCatalogue", "keyInTheClear", "valueInTheClear"] {
            #expect(String(decoding: clear, as: UTF8.self).contains(text))
            #expect(!String(decoding: sealed, as: UTF8.self).contains(text))
        }
    }

    @Test func itNeedsItsKey() throws {
        let stream = try stream(9)
        #expect(refusal(stream, nil) == .missingKey)
        #expect(refusal(stream, 8) == .wrongKey)
        #expect(
            refusal(stream, 9) { $0.encryption?.cipher = SimpleCipher(id: CipherID(rawValue: 131)) } == .cipherMismatch)
        #expect(refusal(stream, 9) == nil)
    }

    /// Someone who can replace the stream must not be able to pass off another one.
    @Test func aStreamInTheClearIsNoneOfAKey() throws {
        let stream = try stream(nil)
        #expect(refusal(stream, 9) == .authenticationFailed)
        #expect(refusal(stream, 9) { $0.acceptsUnencrypted = true } == nil)
    }

    /// The checksums of a frame can be made anew by anyone; its seal can't.
    @Test func aFrameUnderANewChecksumIsNotAuthentic() throws {
        let stream = try stream(9)
        let boundaries = StreamedBackup.boundaries(stream)
        let file = BackupStreamFormat.checksumFile(Array(stream[16..<32]))
        for (index, start) in boundaries.dropLast().enumerated() {
            var changed = stream
            changed[boundaries[index + 1] - 1] ^= 1
            let sum = unsafe Array(changed[start + 8..<boundaries[index + 1]]).withUnsafeBytes {
                Checksum.of(unsafe Bytes($0), file: file, offset: UInt64(start))
            }
            for shift in 0..<8 { changed[start + shift] = UInt8(truncatingIfNeeded: sum >> (8 * shift)) }
            #expect(refusal(changed, 9) == (index == 0 ? .wrongKey : .authenticationFailed), "frame \(index)")
        }
    }
}
