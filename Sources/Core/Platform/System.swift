// The system's C library under one name, whatever it is called, and what Swift cannot call of it.
@_exported public import CPlatform

#if canImport(Glibc)
    @_exported public import Glibc
#else
    @_exported public import Darwin
#endif
