// The store is part of this module's interface; with the trait `Encryption`, so is the vault.
@_exported public import Shale

#if Encryption
    @_exported public import ShaleEncryption
#endif
