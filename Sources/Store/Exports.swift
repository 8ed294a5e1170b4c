// The names of the engine that this module's interface uses: errors, durability, ranges, the engine's options, reports
// and figures. The rest of the engine's interface needs `import ShaleEngine`.
//
// Builds for tests and for the documentation export the modules: the extractor of symbol graphs leaves out the members
// of types that are exported by name.
#if SHALE_WHOLE_EXPORTS
    @_exported public import ShaleEngine
#else
    @_exported public import struct ShaleBase.IOFailure
    @_exported public import struct ShaleBase.KeyRange
    @_exported public import typealias ShaleBase.SequenceNumber
    @_exported public import struct ShaleBase.StorageError
    @_exported public import enum ShaleEngine.ClockDoubt
    @_exported public import enum ShaleEngine.Durability
    @_exported public import class ShaleEngine.Engine
    @_exported public import struct ShaleEngine.NamespaceStatistics
    @_exported public import struct ShaleEngine.RecoveryReport
    @_exported public import struct ShalePlatform.SystemTime
    @_exported public import protocol ShalePlatform.TimeSource
#endif
