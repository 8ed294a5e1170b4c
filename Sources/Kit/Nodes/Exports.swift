// The store belongs to this module's interface, and with the trait `Encryption` the vault.
@_exported public import Shale

#if Encryption
    @_exported public import ShaleVault
#endif
