import Shale

/// An entry for output: key, type and value.
struct EntryReport: ListedRow {
    /// The key as text. Absent if it is not UTF-8; `keyBase64` then contains it.
    let key: String?
    let keyBase64: String?
    /// The codec: string, int, json, propertyList, …
    let type: String?
    /// The value. Absent if it is encrypted and not to be shown.
    let value: ShownValue?
    /// The size of the encoded value.
    let bytes: Int?
    let purgeable: Bool?
    let encrypted: Bool?
    let expiresAt: String?
    let writtenAt: String?
    /// Not encoded.
    private let keyBytes: [UInt8]

    enum CodingKeys: String, CodingKey, CaseIterable {
        case key, keyBase64, type, value, bytes, purgeable, encrypted, expiresAt, writtenAt
    }

    static var columns: [String] { CodingKeys.allCases.map(\.rawValue) }

    /// Makes a report. With a key alone, the entry is listed without its value. `value` is `nil` for a secret that is
    /// not to be shown.
    init(key: [UInt8], _ info: ValueInfo? = nil, _ value: StoredValue? = nil) {
        keyBytes = key
        let shown = ShownKey(key)
        self.key = shown.text
        keyBase64 = shown.base64
        type = info?.codec.description
        self.value = value.map { ShownValue($0) }
        bytes = info?.payloadByteCount
        purgeable = info?.isPurgeable
        encrypted = info?.isEncrypted
        expiresAt = info?.expiresAt.map(timestamp)
        writtenAt = info?.writtenAt.map(timestamp)
    }

    /// Returns, for people, the value or the reason why it is hidden.
    func shownValue() throws -> String {
        if let value { return try value.text() }
        return "(encrypted \(type ?? ""), \(Figures.count(bytes ?? 0, "byte")))"
    }

    /// Returns, for people, the key and after a tab the value, in one line.
    func line() throws -> Shown {
        let name = Shown(key: keyBytes)
        if type == nil { return name }
        return "\(name)\t\(try shownValue())"
    }
}
