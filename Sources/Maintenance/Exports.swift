// The store, its options and its errors are part of this module's interface; so are the ids of namespaces, by which
// repair names what has lost its name.
@_exported public import Shale

@_exported public import struct ShaleBase.NamespaceID
