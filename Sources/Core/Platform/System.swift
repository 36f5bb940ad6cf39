// The system's C library under one name on all systems, with wrappers for functions that Swift cannot call.
@_exported public import CPlatform

#if canImport(Glibc)
    @_exported public import Glibc
#else
    @_exported public import Darwin
#endif
