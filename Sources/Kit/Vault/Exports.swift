// The store, its errors and the sources of keys belong to this module's interface.
@_exported public import ShaleEncryption
