// The public names of lower modules that this module's interface uses. A module exports names, not other modules, so
// that no name of an inner layer becomes one of its users. Members of an exported type come with the type; operators
// do not, so a type that crosses modules has none of its own.
//
// Builds for tests and for the documentation export the modules: the extractor of symbol graphs leaves out the members
// of types that are exported by name.
#if SHALE_WHOLE_EXPORTS
    @_exported public import ShaleBase
    @_exported public import ShalePlatform
#else
    @_exported public import struct ShaleBase.IOFailure
    @_exported public import struct ShaleBase.KeyRange
    @_exported public import struct ShaleBase.NamespaceID
    @_exported public import typealias ShaleBase.SequenceNumber
    @_exported public import struct ShaleBase.StorageError
    @_exported public import struct ShalePlatform.SystemTime
    @_exported public import protocol ShalePlatform.TimeSource
#endif
