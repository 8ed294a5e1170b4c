// Public names of lower layers that are part of this module's interface: errors and namespace ids.
@_exported public import ShaleBase
