#if HTTP
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    /// A value that a URL template expands: texts, integers, `Double`, `Bool`, `UUID`, and optionals and arrays of
    /// these.
    public protocol TemplateValue: Sendable {
        /// The texts of the value, not encoded: one, several for an array, none if the value is undefined.
        var templateTexts: [String] { get }
    }

    extension String: TemplateValue {
        public var templateTexts: [String] { [self] }
    }

    extension Int: TemplateValue {
        public var templateTexts: [String] { [String(self)] }
    }

    extension Int64: TemplateValue {
        public var templateTexts: [String] { [String(self)] }
    }

    extension UInt64: TemplateValue {
        public var templateTexts: [String] { [String(self)] }
    }

    extension Double: TemplateValue {
        public var templateTexts: [String] { [description] }
    }

    extension Bool: TemplateValue {
        public var templateTexts: [String] { [self ? "true" : "false"] }
    }

    extension UUID: TemplateValue {
        public var templateTexts: [String] { [uuidString] }
    }

    extension Optional: TemplateValue where Wrapped: TemplateValue {
        public var templateTexts: [String] { map(\.templateTexts) ?? [] }
    }

    extension Array: TemplateValue where Element: TemplateValue {
        public var templateTexts: [String] { flatMap(\.templateTexts) }
    }
#endif
