/// Why a value can't be stored by reflection: the cause of a ``StorageError`` with code `.codecFailure`.
///
/// `path` names the properties on the way to the trouble; elements of collections stand as `[]`, so nothing that was to
/// be stored appears in it.
public enum ReflectionError: Error, Sendable, Hashable {
    /// An object contains itself.
    case cycle(path: String)
    /// Values are nested more than 64 deep.
    case tooDeep(path: String)
    /// The value has more than 2²⁰ parts, shared objects counted wherever they occur.
    case tooLarge
    /// Reflection does not show what a value of this type is: functions, metatypes, integers of more than 64 bits,
    /// pointers, and cases of an enum that describes itself and has no raw value.
    case unsupported(type: String, path: String)
    /// A class and its superclass have properties of the same name, or two keys of a dictionary are the same text.
    case duplicateName(path: String)
}

extension ReflectionError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cycle(let path): "an object contains itself path=\(path)"
        case .tooDeep(let path): "values are nested too deeply path=\(path)"
        case .tooLarge: "the value has too many parts"
        case .unsupported(let type, let path): "reflection can't show a value type=\(type) path=\(path)"
        case .duplicateName(let path): "a name occurs twice path=\(path)"
        }
    }
}
