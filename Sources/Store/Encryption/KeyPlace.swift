import ShaleBase

/// The namespace that a data key is sealed for: its id, its name, and what writes take from its options.
///
/// All three are authenticated with the key. So an attacker who has the files can't exchange the names of two
/// namespaces, or have later writes stored in the clear by removing an option: the key does not open then.
struct KeyPlace: Equatable, Sendable {
    let id: NamespaceID
    /// As the catalogue has it.
    let name: [UInt8]
    let terms: WriteTerms
}

/// What a write takes from the options of its namespace when it says nothing itself.
struct WriteTerms: Equatable, Sendable {
    let isPurgeable: Bool
    let isEncrypted: Bool
    /// `nil`: the store's.
    let cipher: CipherID?
    let lifetimeMilliseconds: Int64

    /// On disk, do not change: flags u8 (bit 0 purgeable, bit 1 encrypted), cipher u8 (0 = the store's), time to live
    /// i64 (0 = none).
    var bytes: [UInt8] {
        var bytes: [UInt8] = [(isPurgeable ? 1 : 0) | (isEncrypted ? 2 : 0), cipher?.rawValue ?? 0]
        for shift in stride(from: Int64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: lifetimeMilliseconds >> shift))
        }
        return bytes
    }
}

extension CatalogueOptions {
    var terms: WriteTerms {
        WriteTerms(
            isPurgeable: defaults.isPurgeable, isEncrypted: defaults.isEncrypted, cipher: cipher,
            lifetimeMilliseconds: defaults.lifetimeMilliseconds)
    }

    /// What the data keys of the namespace with these options are sealed for.
    func place(_ id: NamespaceID, _ name: [UInt8]) -> KeyPlace { KeyPlace(id: id, name: name, terms: terms) }
}
