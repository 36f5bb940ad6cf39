internal import CMicroHTTPD

/// The libmicrohttpd that this process uses.
public enum HTTPServerLibrary {
    /// Its name and version, by `MHD_get_version`.
    public static var title: String {
        "libmicrohttpd " + (unsafe String(cString: MHD_get_version()))
    }
}
