import Shale

/// An entry as it is shown: key, type and value.
struct EntryReport: ListedRow {
    /// The key as text; absent when it is not UTF-8, then `keyBase64` is there.
    let key: String?
    let keyBase64: String?
    /// The codec: string, int, json, propertyList, …
    let type: String?
    /// Absent where the value is encrypted and not to be shown.
    let value: ShownValue?
    /// Of the encoded value.
    let bytes: Int?
    let purgeable: Bool?
    let encrypted: Bool?
    let expiresAt: String?
    let writtenAt: String?
    /// Not shown.
    private let keyBytes: [UInt8]

    enum CodingKeys: String, CodingKey, CaseIterable {
        case key, keyBase64, type, value, bytes, purgeable, encrypted, expiresAt, writtenAt
    }

    static var columns: [String] { CodingKeys.allCases.map(\.rawValue) }

    /// With a key alone, the entry is listed without its value. `value` is `nil` for a secret that stays one.
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

    /// For people: the value, or what hides it.
    func shownValue() throws -> String {
        if let value { return try value.text() }
        return "(encrypted \(type ?? ""), \(Figures.count(bytes ?? 0, "byte")))"
    }

    /// For people: the key, and behind a tab the value, in one line.
    func line() throws -> Shown {
        let name = Shown(key: keyBytes)
        if type == nil { return name }
        return "\(name)\t\(try shownValue())"
    }
}
