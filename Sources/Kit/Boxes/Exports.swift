// The store and the vault are part of this module's interface.
@_exported public import ShaleVault
