#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A key in JSON: text if it is UTF-8, otherwise base64.
struct ShownKey {
    let text: String?
    let base64: String?

    init(_ key: [UInt8]) {
        text = String(validating: key, as: UTF8.self)
        base64 = text == nil ? Data(key).base64EncodedString() : nil
    }
}
