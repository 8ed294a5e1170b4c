#if HTTP
    // Stores, namespaces, errors and the messages of HTTP are part of this module's interface.
    @_exported public import struct HTTPTypes.HTTPField
    @_exported public import struct HTTPTypes.HTTPFields
    @_exported public import struct HTTPTypes.HTTPRequest
    @_exported public import struct HTTPTypes.HTTPResponse
    @_exported public import Shale
#endif
