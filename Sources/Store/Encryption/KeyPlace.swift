import ShaleBase

/// The namespace that a data key is sealed for: its id, its name, and the options that apply to writes.
///
/// All three are authenticated with the key: it does not open for another name or other options. An attacker with
/// access to the files can therefore neither exchange the names of two namespaces nor remove an option to have later
/// writes stored in the clear.
struct KeyPlace: Equatable, Sendable {
    let id: NamespaceID
    /// The name as it is in the catalogue.
    let name: [UInt8]
    let terms: WriteTerms
}

/// The options of a namespace that apply to writes which don't set them.
struct WriteTerms: Equatable, Sendable {
    let isPurgeable: Bool
    let isEncrypted: Bool
    /// The cipher; `nil` means the store's.
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

    /// Returns the place that the namespace's data keys are sealed for under these options.
    func place(_ id: NamespaceID, _ name: [UInt8]) -> KeyPlace { KeyPlace(id: id, name: name, terms: terms) }
}
