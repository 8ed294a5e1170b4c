#if Encryption
    @testable import ShaleEncryption
    import TestSupport
    import Testing

    /// ShaleEncryption.docc, "How a vault stores secrets": the format on disk does not change. Another program
    /// calculated the tags.
    @Suite struct VaultFormatTests {
        private func hexadecimal(_ bytes: [UInt8]) -> String {
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }

        @Test func tagsStayAsTheyAre() throws {
            var bits = Array(UInt8(0)..<32)
            let tags = try SecretTags(try SecretKey(wiping: &bits))
            #expect(
                hexadecimal(tags.prefix(["a", "bc"]))
                    == "483881b71ab223b3ed28e54900d03fa0"
                    + "b5b0e3e26ff3ddca072051181074556f")
            #expect(
                hexadecimal(tags.key(of: SecretAddress(["a"], "n")))
                    == "483881b71ab223b3ed28e54900d03fa0"
                    + "3437a46c8d1d4a762a365aef92cca5c6")
            #expect(tags.prefix([]) == [])
        }

        @Test func recordsStayAsTheyAre() throws {
            let address = SecretAddress(["a", ""], "né")
            let record = SecretRecord.bytes(address, [7, 8])
            #expect(
                hexadecimal(record) == "01" + "02000000" + "0100000061" + "00000000" + "03000000" + "6ec3a9" + "0708")
            let (found, secret) = try SecretRecord.parse(record)
            #expect(found == address && secret == [7, 8])
            for count in 0..<(record.count - 2) {
                let cut = Array(record[..<count])
                let refused = code { () throws(StorageError) in try SecretRecord.parse(cut) }
                #expect(refused == (count == 0 ? .newerFormat : .corruption), "\(count)")
            }
            var hostile = record
            hostile.replaceSubrange(1..<5, with: [255, 255, 255, 255])
            #expect(code { () throws(StorageError) in try SecretRecord.parse(hostile) } == .corruption)
        }

        @Test func addressesAsTextComeBack() throws {
            let parts: [EntryKey] = ["", "a", "..", "a/b", "%", "%2f", "é", "\0", EntryKey(Array(0...255))]
            for part in parts { #expect(AddressText.part(AddressText.text(part)) == part) }
            #expect(AddressText.path(AddressText.text(parts)) == parts)
            let box: [EntryKey] = ["box", "com.example.mail", EntryKey([255, 0])]
            #expect(AddressText.text(box) == "/box/com.example.mail/%ff%00")
            for path in [[], [""], ["", ""], ["a", ""], ["", "a"]] as [[EntryKey]] {
                #expect(AddressText.path(AddressText.text(path)) == path)
            }
            for text in ["%", "%2", "%GG", "é", "a b", "%61", "%2F"] { #expect(AddressText.part(text) == nil) }
            for text in ["a", "a/b", "/%", "//é"] { #expect(AddressText.path(text) == nil) }
        }
    }
#endif
