/// A sign-in that the person completes on a page of the server. Thread-safe.
package protocol WebSignIn: AnyObject, Sendable {
    /// The address to open in a browser.
    var address: String { get }
    /// The address with the code filled in, for a QR code; nil if the browser is on this machine.
    var completeAddress: String? { get }
    /// The code to type on the page, safe to print; nil if the browser is on this machine.
    var code: String? { get }

    /// Waits for the person.
    ///
    /// - Parameter time: The maximum wait.
    /// - Returns: The tokens; nil if the person needs more time.
    /// - Throws: `denied`, `notCompleted` after the time limit of the sign-in, and any other
    ///   ``SignInError``. The sign-in is over then.
    func wait(atMost time: Duration) throws -> GrantedTokens?
}
