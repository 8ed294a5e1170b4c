// Stores, namespaces, errors and the messages of the protocol are part of this module's interface.
@_exported public import Shale
@_exported public import enum ShaleSync.SyncCall
@_exported public import enum ShaleSync.SyncLimits
@_exported public import struct ShaleSync.SyncReply
