import Shale
import ShaleInspection

/// A version of a key as stored in a log or a block.
struct OperationRow: ListedRow {
    /// The offset of the log's record; `nil` in blocks.
    let offset: UInt64?
    let sequence: UInt64
    /// The operation: put or delete.
    let operation: String
    /// `nil` for a namespace that is not in the catalogue.
    let namespace: String?
    let namespaceID: UInt32
    let key: String?
    let keyBase64: String?
    /// The codec; `encrypted` if the value does not show more.
    let type: String?
    /// The size of the value with its header.
    let bytes: Int
    let purgeable: Bool
    let expiresAt: String?
    private let keyBytes: [UInt8]

    enum CodingKeys: String, CodingKey, CaseIterable {
        case offset, sequence, operation, namespace, namespaceID, key, keyBase64, type, bytes, purgeable, expiresAt
    }

    static var columns: [String] { CodingKeys.allCases.map(\.rawValue) }

    init(_ version: StoredVersion, in names: NamespaceNames?, offset: UInt64? = nil) {
        self.offset = offset
        sequence = version.sequence
        operation = version.isDelete ? "delete" : "put"
        namespace = names?.name(of: version.namespace)
        namespaceID = version.namespace.rawValue
        keyBytes = version.key
        let shown = ShownKey(version.key)
        key = shown.text
        keyBase64 = shown.base64
        type = version.isDelete ? nil : Self.type(of: version.value)
        bytes = version.value.count
        purgeable = version.isPurgeable
        expiresAt = version.expiresAtMilliseconds.map { timestamp(milliseconds: $0) }
    }

    /// Returns the type by the first byte of an envelope: Shale.docc, "Value envelope".
    private static func type(of value: [UInt8]) -> String? {
        guard let first = value.first, value.count >= 2 else { return nil }
        return first == 0 ? "encrypted" : ValueCodec(rawValue: first).description
    }

    func line() -> Shown {
        let place = offset.map { "\($0)\t" as Shown } ?? ""
        let name = namespace ?? "(id \(namespaceID))"
        let flags: Shown = (purgeable ? " purgeable" : "") + (expiresAt.map { " expires \($0)" } ?? "")
        let value: Shown = operation == "delete" ? "" : "\t\(type ?? "raw") \(Figures.count(bytes, "byte"))\(flags)"
        return "\(place)\(sequence)\t\(operation)\t\(name)\t\(Shown(key: keyBytes))\(value)"
    }
}

/// The names of namespaces by their ids, in the form that people use.
struct NamespaceNames {
    private let names: [UInt32: String]

    init(_ manifest: InspectedManifest) {
        let pairs = manifest.namespaces.compactMap { record in
            NamespacePath(catalogueName: record.name).map { path in
                (record.id.rawValue, (path.user.map { "\($0):" } ?? "") + path.text)
            }
        }
        names = Dictionary(pairs) { first, _ in first }
    }

    func name(of id: NamespaceID) -> String? { names[id.rawValue] }
}
