// The public names of a lower module that this module's interface uses.
@_exported public import struct ShaleBase.IOFailure
@_exported public import struct ShaleBase.NamespaceID
@_exported public import typealias ShaleBase.SequenceNumber
@_exported public import struct ShaleBase.StorageError
