// The store and the vault belong to this module's interface.
@_exported public import ShaleVault
