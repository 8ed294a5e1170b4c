import Shale
import ShaleBase
import ShaleEngine

/// Writes the lines of a dump.
struct DumpWriter: ~Copyable {
    var text = ByteBuffer(capacity: 1 << 20)
    private(set) var entryCount: UInt64 = 0

    /// Begins a dump of a whole store, or of the namespaces at and below `root`.
    mutating func begin(nextNamespace: UInt32, root: NamespaceName? = nil) {
        JSONText.append("{\"shaleDump\":", to: &text)
        JSONText.append(Int64(root == nil ? DumpFormat.version : DumpFormat.partVersion), to: &text)
        JSONText.append(",\"nextNamespace\":", to: &text)
        JSONText.append(Int64(nextNamespace), to: &text)
        if let root {
            append(root.owner)
            append(",\"root\":[", root.components)
        }
        endLine()
    }

    private mutating func append(_ owner: NamespaceName.Owner) {
        guard case .user(let id) = owner else { return }
        JSONText.append(",\"user\":", to: &text)
        append(id)
    }

    private mutating func append(_ member: StaticString, _ components: [String]) {
        JSONText.append(member, to: &text)
        for (index, component) in components.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            append(component)
        }
        text.append(UInt8(ascii: "]"))
    }

    /// Begins a namespace. `options` are those to write.
    mutating func begin(_ namespace: NamespaceDescription, options: [UInt8]) {
        JSONText.append("{\"namespace\":", to: &text)
        JSONText.append(Int64(namespace.id.rawValue), to: &text)
        if let name = NamespaceName(bytes: namespace.name), name.bytes == namespace.name {
            append(name.owner)
            append(",\"path\":[", name.components)
        } else {
            appendBytes(",\"name64\":", namespace.name)
        }
        if !options.isEmpty { appendBytes(",\"options64\":", options) }
        endLine()
    }

    private mutating func append(_ string: String) {
        let utf8 = Array(string.utf8)
        // A String is always UTF-8.
        unsafe utf8.withUnsafeBytes { _ = JSONText.append(unsafe Bytes($0), to: &text) }
    }

    private mutating func appendBytes(_ member: StaticString, _ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { appendBytes(member, unsafe Bytes($0)) }
    }

    private mutating func appendBytes(_ member: StaticString, _ bytes: Bytes) {
        JSONText.append(member, to: &text)
        text.append(UInt8(ascii: "\""))
        Base64.encode(bytes, into: &text)
        text.append(UInt8(ascii: "\""))
    }

    private mutating func endLine() { JSONText.append("}\n", to: &text) }

    /// Throws if no line has room for a value: it was written in pieces.
    static func check(_ value: RawSpan) throws(StorageError) {
        guard value.byteCount <= FormatLimits.valueBytes else {
            throw .invalid(
                "a dump has no values above \(FormatLimits.valueBytes) bytes: copy the store or make a backup"
                    + " bytes=\(value.byteCount)")
        }
    }

    mutating func add(_ key: Bytes, _ value: Bytes, isPurgeable: Bool, expiry: Int64?) {
        entryCount += 1
        JSONText.append("{\"k\":", to: &text)
        if !JSONText.append(key, to: &text) {
            text.count -= 4
            appendBytes("\"k64\":", key)
        }
        append(value)
        if isPurgeable { JSONText.append(",\"purgeable\":true", to: &text) }
        if let expiry {
            JSONText.append(",\"expires\":", to: &text)
            JSONText.append(expiry, to: &text)
        }
        endLine()
    }

    /// Writes a value with its codec if the header contains nothing else, and otherwise as raw bytes. That is the case
    /// for encrypted values, values with a header extension, and values that the store did not write.
    private mutating func append(_ value: Bytes) {
        guard value.count >= 2, value[0] != 0, value[1] == 0 else { return appendBytes(",\"raw64\":", value) }
        JSONText.append(",\"c\":", to: &text)
        JSONText.append(Int64(value[0]), to: &text)
        let payload = value.suffix(from: 2)
        if value[0] == DumpFormat.intCodec, payload.count == 8 {
            JSONText.append(",\"i\":", to: &text)
            return JSONText.append(payload.i64(at: 0), to: &text)
        }
        if DumpFormat.isText(value[0]), payload.count <= DumpFormat.textBytesMax {
            JSONText.append(",\"v\":", to: &text)
            if JSONText.append(payload, to: &text) { return }
            text.count -= 5
        }
        appendBytes(",\"v64\":", payload)
    }

    mutating func end() {
        JSONText.append("{\"end\":", to: &text)
        JSONText.append(Int64(entryCount), to: &text)
        endLine()
    }
}

/// The format of a dump's lines: ShaleMaintenance.docc, "Dumps". Raise the version if readers of this version could
/// not read a new dump.
enum DumpFormat {
    static let version = 1

    /// The version of a dump of some namespaces. Its first line has the member `root`.
    static let partVersion = 2

    /// Returns true for codecs whose payload is text: string, URL, JSON. A dump writes it as text where it is valid
    /// UTF-8.
    static func isText(_ codec: UInt8) -> Bool { codec == 2 || codec == 10 || codec == 16 }

    static let intCodec: UInt8 = 4

    /// The limit for texts; longer ones are written in base64. An escaped text may take six times its bytes, and a line
    /// has at most four times the bytes of the largest value.
    static let textBytesMax = 16 << 20
}
