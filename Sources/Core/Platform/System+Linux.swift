// Swift's module of glibc has these names in one object file with wrappers of all mathematical functions, so an executable that uses one of
// them would bind 130 names of libm at each start. Names of this module precede those of the modules that it exports; a file that imports glibc
// in another way, too, as tests do, takes those of glibc.
#if canImport(Glibc)
    /// errno(3) of this thread.
    @_disfavoredOverload
    package var errno: Int32 {
        get { unsafe __errno_location().pointee }
        set { unsafe __errno_location().pointee = newValue }
    }

    /// fcntl(2) without an argument.
    @_disfavoredOverload
    package func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 {
        platform_fcntl(descriptor, command, 0)
    }

    /// fcntl(2) with a number.
    @_disfavoredOverload
    package func fcntl(_ descriptor: Int32, _ command: Int32, _ argument: Int32) -> Int32 {
        platform_fcntl(descriptor, command, argument)
    }

    // inode(7).
    @_disfavoredOverload
    package var S_IFMT: mode_t { 0o170000 }
    @_disfavoredOverload
    package var S_IFSOCK: mode_t { 0o140000 }
    @_disfavoredOverload
    package var S_IFLNK: mode_t { 0o120000 }
    @_disfavoredOverload
    package var S_IFREG: mode_t { 0o100000 }
    @_disfavoredOverload
    package var S_IFDIR: mode_t { 0o040000 }
    @_disfavoredOverload
    package var S_ISVTX: mode_t { 0o001000 }
    @_disfavoredOverload
    package var S_IRGRP: mode_t { 0o000040 }
    @_disfavoredOverload
    package var S_IROTH: mode_t { 0o000004 }

    // signal(2).
    @_disfavoredOverload
    package var SIG_DFL: __sighandler_t? { nil }
    @_disfavoredOverload
    package var SIG_IGN: __sighandler_t { unsafe unsafeBitCast(1, to: __sighandler_t.self) }
#endif
