// Errors and namespace ids belong to this module's interface.
@_exported public import ShaleBase
