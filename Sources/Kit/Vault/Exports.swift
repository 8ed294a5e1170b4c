// The store, its errors and the sources of keys are part of this module's interface.
@_exported public import ShaleEncryption
