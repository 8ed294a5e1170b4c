#if HTTP
    public import HTTPTypes

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    /// The content of an endpoint's requests, made from their parameters.
    public struct RequestContent<Parameters: Sendable>: Sendable {
        /// The value of `Content-Type`; `nil` for no field.
        let contentType: String?
        let encode: @Sendable (Parameters) throws -> [UInt8]

        /// Makes content with a closure.
        public init(contentType: String?, _ encode: @escaping @Sendable (Parameters) throws -> [UInt8]) {
            self.contentType = contentType
            self.encode = encode
        }

        /// No content.
        public static var none: RequestContent { RequestContent(contentType: nil) { _ in [] } }

        /// A property as JSON.
        public static func json<Body: Encodable & SendableMetatype>(
            _ path: any KeyPath<Parameters, Body> & Sendable,
            encoder: @escaping @Sendable () -> JSONEncoder = { JSONEncoder() }
        ) -> RequestContent {
            RequestContent(contentType: "application/json") { [UInt8](try encoder().encode($0[keyPath: path])) }
        }
    }

    /// The decoding of an endpoint's responses.
    public struct ResponseContent<Output: Sendable>: Sendable {
        /// The value of `Accept`; `nil` for no field.
        let accept: String?
        let decode: @Sendable ([UInt8], HTTPResponse) throws -> Output

        /// Decodes with a closure, which gets the body and the head of a response with a status of 2xx.
        public init(accept: String?, _ decode: @escaping @Sendable ([UInt8], HTTPResponse) throws -> Output) {
            self.accept = accept
            self.decode = decode
        }
    }

    extension ResponseContent where Output: Decodable {
        /// Decodes JSON.
        public static var json: ResponseContent { json { JSONDecoder() } }

        /// Decodes JSON with the decoder that `decoder` makes for each response.
        public static func json(_ decoder: @escaping @Sendable () -> JSONDecoder) -> ResponseContent {
            ResponseContent(accept: "application/json") { (bytes, _) in
                try decoder().decode(Output.self, from: Data(bytes))
            }
        }
    }

    extension ResponseContent where Output == [UInt8] {
        /// Returns the body.
        public static var bytes: ResponseContent { ResponseContent(accept: nil) { (bytes, _) in bytes } }
    }

    extension ResponseContent where Output == Void {
        /// Ignores the body.
        public static var ignored: ResponseContent { ResponseContent(accept: nil) { (_, _) in } }
    }
#endif
