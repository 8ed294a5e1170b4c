#if Encryption
    import Foundation
    import ShaleBase
    import ShaleEncryption
    import ShaleEngine
    import ShalePlatform
    import TestSupport
    import Testing

    /// Encrypted values that are written in pieces: each piece is authenticated with its place, and the value with its
    /// end.
    @Suite struct SealedPieceTests {
        private static let piece = 64 << 10
        /// The bytes that the cipher and the nonce add to a piece.
        private static let overhead = 40
        private static let headerBytes = 7 + 24

        private func content(_ length: Int) -> [UInt8] {
            SeededRandom(seed: UInt64(length)).bytes(length)
        }

        private func write(_ value: [UInt8], _ key: String, in namespace: Store.Namespace) throws {
            let pieces = stride(from: 0, to: value.count, by: 99_999).map {
                Array(value[$0..<min(value.count, $0 + 99_999)])
            }
            try namespace.setBytes(inPieces: pieces, forKey: key, options: .encrypted)
        }

        @Test func valuesOfAllLengthsAreReadAsAWholeAndInParts() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["n"]
            let lengths = [
                0, 1, Self.piece - 1, Self.piece, Self.piece + 1, 2 * Self.piece, 40 * Self.piece, 2_000_003,
            ]
            for length in lengths {
                try write(content(length), "\(length)", in: namespace)
                let info = try #require(try namespace.info(forKey: "\(length)"))
                #expect(info.isEncrypted && info.codec == .data)
                #expect(
                    try !fixture.stored("\(length)", in: namespace).contains(content(length).prefix(64)) || length < 9)
            }
            // In the log, and in segments and files.
            for _ in 0..<2 {
                for length in lengths {
                    let whole = content(length)
                    #expect(try fixture["n"].value(forKey: "\(length)", as: [UInt8].self) == whole, "\(length)")
                    for range in [
                        0..<0, 0..<1, 10..<90, Self.piece - 5..<Self.piece + 5, length / 2..<length, 0..<Int.max,
                        length..<length + 9, length + 5..<length + 9,
                    ] {
                        let expected = Array(whole[range.clamped(to: 0..<length)])
                        #expect(
                            try fixture["n"].bytes(forKey: "\(length)", in: range) == expected, "\(length): \(range)")
                    }
                }
                try fixture.reopen()
            }
        }

        @Test func theTimeOfWritingIsBesideThePieces() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["n"]
            try namespace.setOptions(
                NamespaceOptions(
                    isPurgeable: true, isEncrypted: true, purgePolicy: PurgePolicy(maximumAge: .seconds(1000))))
            try namespace.setBytes(inPieces: [content(2_000_000)], forKey: "k")
            #expect(try namespace.info(forKey: "k")?.writtenAt != nil)
            #expect(
                try namespace.bytes(forKey: "k", in: 1_900_000..<1_900_009)
                    == Array(content(2_000_000)[1_900_000..<1_900_009]))
        }

        /// Changes the stored bytes of a value of four pieces, plants them, and returns what reading parts throws.
        private func codes(
            _ change: (inout [UInt8]) throws -> Void
        ) throws -> (whole: StorageError.Code?, first: StorageError.Code?, end: StorageError.Code?) {
            let fixture = try EncryptedFixture()
            let namespace = fixture["n"]
            let length = 3 * Self.piece + 100
            try write(content(length), "k", in: namespace)
            var stored = try fixture.stored("k", in: namespace)
            try change(&stored)
            try fixture.plant(stored, forKey: "k", in: namespace)
            func code(_ range: Range<Int>) -> StorageError.Code? {
                TestSupport.code { () throws(StorageError) in try namespace.bytes(forKey: "k", in: range) }
            }
            return (
                TestSupport.code { () throws(StorageError) in try namespace.value(forKey: "k", as: [UInt8].self) },
                code(0..<10), code(length - 10..<length + 10)
            )
        }

        @Test func piecesThatAreExchangedAreNotAuthentic() throws {
            let (start, size) = (Self.headerBytes, Self.piece + Self.overhead)
            let codes = try codes { stored in
                let first = Array(stored[start..<start + size])
                let second = Array(stored[start + size..<start + 2 * size])
                stored.replaceSubrange(start..<start + 2 * size, with: second + first)
            }
            #expect(codes.whole == .authenticationFailed && codes.first == .authenticationFailed)
        }

        @Test func aValueThatEndsEarlyIsNotAuthentic() throws {
            let (start, size) = (Self.headerBytes, Self.piece + Self.overhead)
            let codes = try codes { stored in stored.removeSubrange((start + 2 * size)...) }
            #expect(codes.whole == .authenticationFailed && codes.end == .authenticationFailed)
        }

        @Test func aValueThatIsContinuedIsNotAuthentic() throws {
            let (start, size) = (Self.headerBytes, Self.piece + Self.overhead)
            let codes = try codes { stored in
                stored.removeSubrange((start + 3 * size)...)
                stored += stored[start + size..<start + 2 * size]
            }
            #expect(codes.whole == .authenticationFailed && codes.end == .authenticationFailed)
        }

        @Test func piecesOfTwoVersionsOfAValueDoNotMix() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["n"]
            let (start, size) = (Self.headerBytes, Self.piece + Self.overhead)
            try write(content(3 * Self.piece), "k", in: namespace)
            let older = try fixture.stored("k", in: namespace)
            try write(content(3 * Self.piece), "k", in: namespace)
            var mixed = try fixture.stored("k", in: namespace)
            mixed.replaceSubrange(start..<start + size, with: older[start..<start + size])
            try fixture.plant(mixed, forKey: "k", in: namespace)
            #expect(
                code { () throws(StorageError) in try namespace.value(forKey: "k", as: [UInt8].self) }
                    == .authenticationFailed)
            try fixture.plant(older, forKey: "l", in: namespace)
            #expect(
                code { () throws(StorageError) in try namespace.bytes(forKey: "l", in: 0..<1) }
                    == .authenticationFailed, "a value is bound to its key")
        }

        @Test func aForgedLayoutIsAnError() throws {
            for offset in 7..<7 + 24 {
                let codes = try codes { stored in stored[offset] ^= 0x41 }
                #expect(codes.whole == .authenticationFailed || codes.whole == .corruption, "\(offset)")
                #expect(codes.first == .authenticationFailed || codes.first == .corruption, "\(offset)")
            }
        }

        @Test func aChangeOfKeysKeepsPieces() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["n"]
            let value = content(2_000_000)
            try write(value, "k", in: namespace)
            try write(content(5), "small", in: namespace)
            let before = try fixture.stored("k", in: namespace)
            let report = try namespace.changeDataKey()
            #expect(report.rewritten == 2)
            let after = try fixture.stored("k", in: namespace)
            #expect(after[1] == before[1] && after.count == before.count && after[3] != before[3])
            try fixture.reopen()
            #expect(try fixture["n"].value(forKey: "k", as: [UInt8].self) == value)
            #expect(
                try fixture["n"].bytes(forKey: "k", in: 1_500_000..<1_500_010) == Array(value[1_500_000..<1_500_010]))
            #expect(try fixture["n"].value(forKey: "small", as: [UInt8].self) == content(5))
        }

        @Test func withoutEncryptionNoWriterBegins() throws {
            let fixture = try EncryptedFixture(nil)
            #expect(
                code { () throws(StorageError) in
                    _ = try fixture["n"].makeValueWriter(forKey: "k", options: .encrypted)
                } == .cipherMismatch)
        }
    }
#endif
