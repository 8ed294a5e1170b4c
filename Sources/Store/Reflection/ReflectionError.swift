/// The reason why a value can't be stored by reflection: the cause of a ``StorageError`` with code `.codecFailure`.
///
/// `path` names the properties down to the failing one. Elements of collections appear as `[]`, so the path contains
/// none of the data.
public enum ReflectionError: Error, Sendable, Hashable {
    /// An object contains itself.
    case cycle(path: String)
    /// Values are nested more than 64 deep.
    case tooDeep(path: String)
    /// The value has more than 2²⁰ parts. A shared object counts once for each occurrence.
    case tooLarge
    /// Reflection does not show the content of this type: functions, metatypes, integers of more than 64 bits,
    /// pointers, and cases of an enum without a raw value that customizes its description.
    case unsupported(type: String, path: String)
    /// A class and its superclass have properties of the same name, or two keys of a dictionary have the same text.
    case duplicateName(path: String)
}

extension ReflectionError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cycle(let path): "an object contains itself path=\(path)"
        case .tooDeep(let path): "values are nested too deeply path=\(path)"
        case .tooLarge: "the value has too many parts"
        case .unsupported(let type, let path): "reflection can't represent a value type=\(type) path=\(path)"
        case .duplicateName(let path): "a name occurs twice path=\(path)"
        }
    }
}
