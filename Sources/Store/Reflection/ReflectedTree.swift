/// The result of reflection, ready for an encoder.
indirect enum ReflectedTree {
    case null
    /// A value that encodes itself.
    case leaf(any Encodable)
    case array([ReflectedTree])
    case object([String: ReflectedTree])
}

extension ReflectedTree: Encodable {
    func encode(to encoder: any Encoder) throws {
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .leaf(let value):
            // Encodes through a container, because encoders treat dates, data, URLs and decimals specially there.
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object(let members):
            var container = encoder.container(keyedBy: MemberName.self)
            for (name, value) in members { try container.encode(value, forKey: MemberName(name)) }
        }
    }
}
