internal import CFido2
internal import Platform
internal import Sealing
internal import SecretMemory

/// An open security key. Use it from one thread at a time.
@safe final class OpenSecurityKey {
    private static let relyingParty = "taskvault.localhost"
    /// The number of PIN attempts here: after three wrong PINs in a row a key must be unplugged (CTAP 2.1, section 6.5.5.7).
    private static let maximumPINAttempts = 3

    private let functions: UnsafePointer<cfido2_library>
    private let device: OpaquePointer
    private let path: String
    private let timeout: Duration
    private let prompts: any SecurityKeyPrompting
    private var pin: SecretBytes?
    private var wrongPINs = 0
    /// Whether the owner must type a PIN; otherwise the key verifies with its own fingerprint reader.
    private(set) var requiresPIN = false
    /// The maximum number of credentials in a list, and the maximum size of their ids.
    private var maximumCredentialCount = Int.max
    private var maximumIDSize = Int.max

    /// Opens a key.
    ///
    /// - Throws: `SecurityKeyError` if opening fails, or if the key cannot verify its owner or lacks an extension.
    init(
        _ path: String, of devices: SecurityKeyDevices, _ library: FidoLibrary,
        _ prompts: any SecurityKeyPrompting, timeout: Duration
    ) throws {
        guard devices.mayOpen(path) else { throw SecurityKeyError.notPermitted }
        guard let device = unsafe library.functions.pointee.fido_dev_new() else {
            throw SecretMemoryError.outOfMemory
        }
        unsafe functions = unsafe library.functions
        unsafe self.device = unsafe device
        self.path = path
        self.timeout = timeout
        self.prompts = prompts
        // From here on `deinit` frees the device.
        if var io = devices.functions {
            _ = unsafe cfido2_set_io(functions, device, &io)
        }
        _ = unsafe functions.pointee.fido_dev_set_timeout(
            device, Int32(clamping: max(1, timeout.milliseconds)))
        // Otherwise a key that fails to describe itself would be treated as one of the older standard U2F.
        unsafe functions.pointee.fido_init(Int32(CFIDO_DISABLE_U2F_FALLBACK))
        let code = unsafe functions.pointee.fido_dev_open(device, path)
        if code != CFIDO_OK {
            guard devices.paths().contains(path) else { throw SecurityKeyError.removed }
            // The library returns this after waiting for its lock on the device file.
            throw code == CFIDO_ERR_INTERNAL ? .busy : SecurityKeyError(code: code)
        }
        try readProperties()
    }

    deinit {
        _ = unsafe functions.pointee.fido_dev_close(device)
        var device: OpaquePointer? = unsafe device
        unsafe functions.pointee.fido_dev_free(&device)
    }

    private func readProperties() throws {
        guard unsafe functions.pointee.fido_dev_is_fido2(device) else {
            throw SecurityKeyError.noHMACSecret
        }
        var info = unsafe functions.pointee.fido_cbor_info_new()
        defer { unsafe functions.pointee.fido_cbor_info_free(&info) }
        guard let info = unsafe info else { throw SecretMemoryError.outOfMemory }
        let start = MonotonicTime.now
        try check(unsafe functions.pointee.fido_dev_get_cbor_info(device, info), since: start)

        let extensions = unsafe UnsafeBufferPointer(
            start: functions.pointee.fido_cbor_info_extensions_ptr(info),
            count: functions.pointee.fido_cbor_info_extensions_len(info))
        let hasHMACSecret = unsafe extensions.contains {
            unsafe $0.map { unsafe String(cString: $0) } == "hmac-secret"
        }
        guard hasHMACSecret else { throw SecurityKeyError.noHMACSecret }
        guard unsafe functions.pointee.fido_dev_supports_cred_prot(device) else {
            throw SecurityKeyError.noCredentialProtection
        }
        let most = unsafe functions.pointee.fido_cbor_info_maxcredcntlst(info)
        let longest = unsafe functions.pointee.fido_cbor_info_maxcredidlen(info)
        // 0 if the key does not report it.
        if most > 0 { maximumCredentialCount = Int(clamping: most) }
        if longest > 0 { maximumIDSize = Int(clamping: longest) }

        if unsafe functions.pointee.fido_dev_has_uv(device) { return }
        requiresPIN = true
        guard unsafe functions.pointee.fido_dev_has_pin(device) else {
            throw unsafe functions.pointee.fido_dev_supports_pin(device)
                ? SecurityKeyError.pinNotSet : SecurityKeyError.noUserVerification
        }
        guard unsafe !functions.pointee.fido_cbor_info_new_pin_required(info) else {
            throw SecurityKeyError.pinMustChange
        }
    }

    // MARK: Selecting

    /// Waits for a touch on one of several keys.
    static func waitForTouch(
        among keys: [OpenSecurityKey], _ devices: SecurityKeyDevices,
        _ prompts: any SecurityKeyPrompting
    ) throws -> OpenSecurityKey {
        guard let first = keys.first else { throw SecurityKeyError.notPluggedIn }
        var pending = keys.filter {
            unsafe $0.functions.pointee.fido_dev_get_touch_begin($0.device) == CFIDO_OK
        }
        defer {
            for key in pending { _ = unsafe key.functions.pointee.fido_dev_cancel(key.device) }
        }
        let deadline = MonotonicTime.now + first.timeout
        var touched: OpenSecurityKey?
        try prompts.touch(.choose(among: keys.count)) {
            for (index, key) in pending.enumerated().reversed() {
                var isTouched: Int32 = 0
                // A timeout of this call is not an error.
                let code = unsafe key.functions.pointee.fido_dev_get_touch_status(
                    key.device, &isTouched, 50)
                if isTouched != 0 {
                    touched = pending.remove(at: index)
                    return true
                }
                if code != CFIDO_OK { pending.remove(at: index) }
            }
            let paths = devices.paths()
            pending.removeAll { !paths.contains($0.path) }
            return pending.isEmpty || deadline <= MonotonicTime.now
        }
        if let touched { return touched }
        let paths = devices.paths()
        throw keys.contains { paths.contains($0.path) }
            ? SecurityKeyError.noTouch : SecurityKeyError.removed
    }

    // MARK: Credentials

    /// Creates a credential.
    func create(
        userName: String, excluding: [SecurityKeyCredential]
    ) throws -> SecurityKeyCredential {
        let excluding = excluding.filter { $0.id.count <= maximumIDSize }
        // The key cannot exclude the rest of a long list, so search it first.
        if try index(in: Array(excluding.dropFirst(maximumCredentialCount))) != nil {
            throw SecurityKeyError.alreadyEnrolled
        }
        let first = Array(excluding.prefix(maximumCredentialCount))
        do {
            return try create(CCOSE_ES256, userName, first)
        } catch SecurityKeyError.failed(Int32(CFIDO_ERR_UNSUPPORTED_ALGORITHM)) {
            return try create(CCOSE_EDDSA, userName, first)
        }
    }

    private func create(
        _ algorithm: Int, _ userName: String, _ excluding: [SecurityKeyCredential]
    ) throws -> SecurityKeyCredential {
        var made = unsafe functions.pointee.fido_cred_new()
        defer { unsafe functions.pointee.fido_cred_free(&made) }
        guard let new = unsafe made else { throw SecretMemoryError.outOfMemory }
        let hash = RandomSource.system.bytes(count: 32)
        let user = RandomSource.system.bytes(count: 16)
        let name = Self.relyingParty
        let functions = unsafe functions.pointee
        try check(unsafe functions.fido_cred_set_type(new, Int32(algorithm)))
        try check(unsafe functions.fido_cred_set_clientdata_hash(new, hash, hash.count))
        try check(unsafe functions.fido_cred_set_rp(new, name, "TaskVault"))
        try check(unsafe functions.fido_cred_set_user(new, user, user.count, userName, nil, nil))
        try check(unsafe functions.fido_cred_set_extensions(new, Int32(CFIDO_EXT_HMAC_SECRET)))
        try check(unsafe functions.fido_cred_set_prot(new, Int32(CFIDO_CRED_PROT_UV_REQUIRED)))
        try check(unsafe functions.fido_cred_set_rk(new, UInt32(CFIDO_OPT_FALSE)))
        try check(unsafe functions.fido_cred_set_uv(new, UInt32(CFIDO_OPT_TRUE)))
        for one in excluding {
            try check(unsafe functions.fido_cred_exclude(new, one.id, one.id.count))
        }
        try unsafe withVerification(waitingFor: .create) { device, pin in
            unsafe functions.fido_dev_make_cred(device, new, pin)
        }

        let id = unsafe Self.bytes(functions.fido_cred_id_ptr(new), functions.fido_cred_id_len(new))
        let key = unsafe Self.bytes(
            functions.fido_cred_pubkey_ptr(new), functions.fido_cred_pubkey_len(new))
        let data = unsafe Self.bytes(
            functions.fido_cred_authdata_raw_ptr(new), functions.fido_cred_authdata_raw_len(new))
        let publicKey: CredentialPublicKey = key.count == 32 ? .edDSA(key) : .es256(key)
        // WebAuthn limits ids to 1,023 bytes.
        guard id.count <= 1_023,
            let granted = CredentialExtensions(data, id: id, publicKey: publicKey.encoded)
        else { throw SecurityKeyError.untrusted }
        guard granted.hasHMACSecret else { throw SecurityKeyError.noHMACSecret }
        guard granted.protection == CFIDO_CRED_PROT_UV_REQUIRED else {
            throw SecurityKeyError.noCredentialProtection
        }
        return SecurityKeyCredential(id: id, publicKey: publicKey.encoded)
    }

    /// The index of the first credential that is on this key; nil if there is none. Needs no touch if the key requires a PIN.
    func index(in credentials: [SecurityKeyCredential]) throws -> Int? {
        var rest = credentials.indices.filter { credentials[$0].id.count <= maximumIDSize }[...]
        while !rest.isEmpty {
            let some = rest.prefix(maximumCredentialCount)
            rest = rest.dropFirst(maximumCredentialCount)
            let assertion = try unsafe Assertion(
                functions, allowing: some.map { credentials[$0].id })
            try check(
                unsafe functions.pointee.fido_assert_set_up(
                    assertion.handle, UInt32(CFIDO_OPT_FALSE)))
            let (functions, handle) = unsafe (functions.pointee, assertion.handle)
            do {
                try unsafe withVerification(waitingFor: requiresPIN ? nil : .use) { device, pin in
                    unsafe functions.fido_dev_get_assert(device, handle, pin)
                }
            } catch SecurityKeyError.unknownKey {
                continue
            }
            // A key may omit the id if the list has one credential.
            let id = assertion.id
            return some.first { credentials[$0].id == id || id.isEmpty && some.count == 1 }
        }
        return nil
    }

    /// The output of a credential for a salt, after the key verified its owner.
    func output(
        of credential: SecurityKeyCredential, for salt: [UInt8]
    ) throws -> AuthenticatorOutput {
        guard let publicKey = CredentialPublicKey(encoded: credential.publicKey) else {
            throw SecurityKeyError.untrusted
        }
        let assertion = try unsafe Assertion(functions, allowing: [credential.id])
        let functions = unsafe functions.pointee
        let handle = unsafe assertion.handle
        try check(unsafe functions.fido_assert_set_extensions(handle, Int32(CFIDO_EXT_HMAC_SECRET)))
        try check(unsafe functions.fido_assert_set_hmac_salt(handle, salt, salt.count))
        try check(unsafe functions.fido_assert_set_up(handle, UInt32(CFIDO_OPT_TRUE)))
        try unsafe withVerification(waitingFor: .use) { device, pin in
            unsafe functions.fido_dev_get_assert(device, handle, pin)
        }
        // Also compares flags, extensions and rp id hash with the expected ones.
        try check(assertion.verification(by: publicKey))
        let output = unsafe UnsafeRawBufferPointer(
            start: functions.fido_assert_hmac_secret_ptr(handle, 0),
            count: functions.fido_assert_hmac_secret_len(handle, 0))
        guard output.count == AuthenticatorOutput.size else { throw SecurityKeyError.untrusted }
        // libfido2 wipes the original when it frees the assertion.
        return AuthenticatorOutput(try unsafe SecretBytes(copying: RawSpan(_unsafeBytes: output)))
    }

    /// An assertion of libfido2, which wipes the memory before freeing it.
    @safe private final class Assertion {
        private let functions: UnsafePointer<cfido2_library>
        let handle: OpaquePointer

        init(_ functions: UnsafePointer<cfido2_library>, allowing ids: [[UInt8]]) throws {
            guard let handle = unsafe functions.pointee.fido_assert_new() else {
                throw SecretMemoryError.outOfMemory
            }
            unsafe self.functions = unsafe functions
            unsafe self.handle = unsafe handle
            let hash = RandomSource.system.bytes(count: 32)
            let name = OpenSecurityKey.relyingParty
            var codes = [
                unsafe functions.pointee.fido_assert_set_rp(handle, name),
                unsafe functions.pointee.fido_assert_set_clientdata_hash(handle, hash, hash.count),
                unsafe functions.pointee.fido_assert_set_uv(handle, UInt32(CFIDO_OPT_TRUE)),
            ]
            for id in ids {
                codes.append(unsafe functions.pointee.fido_assert_allow_cred(handle, id, id.count))
            }
            if let code = codes.first(where: { $0 != CFIDO_OK }) {
                throw SecurityKeyError.failed(code: code)
            }
        }

        deinit {
            var handle: OpaquePointer? = unsafe handle
            unsafe functions.pointee.fido_assert_free(&handle)
        }

        /// The id of the used credential; empty if the key omitted it.
        var id: [UInt8] {
            guard unsafe functions.pointee.fido_assert_count(handle) > 0 else { return [] }
            return unsafe OpenSecurityKey.bytes(
                functions.pointee.fido_assert_id_ptr(handle, 0),
                functions.pointee.fido_assert_id_len(handle, 0))
        }

        /// The result of `fido_assert_verify`.
        func verification(by publicKey: CredentialPublicKey) -> Int32 {
            switch publicKey {
            case .es256(let point):
                var key = unsafe functions.pointee.es256_pk_new()
                defer { unsafe functions.pointee.es256_pk_free(&key) }
                guard let key = unsafe key,
                    unsafe functions.pointee.es256_pk_from_ptr(key, point, point.count) == CFIDO_OK
                else { return Int32(CFIDO_ERR_INVALID_SIG) }
                return unsafe functions.pointee.fido_assert_verify(
                    handle, 0, Int32(CCOSE_ES256), UnsafeRawPointer(key))
            case .edDSA(let bytes):
                var key = unsafe functions.pointee.eddsa_pk_new()
                defer { unsafe functions.pointee.eddsa_pk_free(&key) }
                guard let key = unsafe key,
                    unsafe functions.pointee.eddsa_pk_from_ptr(key, bytes, bytes.count) == CFIDO_OK
                else { return Int32(CFIDO_ERR_INVALID_SIG) }
                return unsafe functions.pointee.fido_assert_verify(
                    handle, 0, Int32(CCOSE_EDDSA), UnsafeRawPointer(key))
            }
        }
    }

    // MARK: Verification of the owner

    /// Runs an operation with the owner's PIN, or with the key's own fingerprint reader.
    private func withVerification(
        waitingFor touch: SecurityKeyTouch?,
        _ operation: @escaping (OpaquePointer, UnsafePointer<CChar>?) -> Int32
    ) throws {
        while true {
            if requiresPIN, pin == nil { try askForPIN() }
            let start = MonotonicTime.now
            let code =
                if let touch {
                    unsafe try run(operation, waitingFor: touch)
                } else {
                    unsafe runWithPIN(operation)
                }
            switch Int(code) {
            case CFIDO_OK: return
            case CFIDO_ERR_PIN_INVALID where requiresPIN:
                pin = nil
                wrongPINs += 1
                guard wrongPINs < Self.maximumPINAttempts else {
                    throw SecurityKeyError.pinWrong(attemptsLeft: try attemptsLeft())
                }
            case CFIDO_ERR_UV_BLOCKED, CFIDO_ERR_UV_INVALID, CFIDO_ERR_PIN_REQUIRED:
                guard !requiresPIN, unsafe functions.pointee.fido_dev_has_pin(device) else {
                    throw SecurityKeyError(code: code)
                }
                requiresPIN = true
            default: try check(code, since: start)
            }
        }
    }

    /// Runs an operation in a separate thread, so that the prompt can cancel it.
    private func run(
        _ operation: @escaping (OpaquePointer, UnsafePointer<CChar>?) -> Int32,
        waitingFor touch: SecurityKeyTouch
    ) throws -> Int32 {
        let result = Monitor<Int32?>(nil)
        // Unowned: the thread may end a little later than its work, and must not keep the key open.
        nonisolated(unsafe) unowned(unsafe) let key = self
        nonisolated(unsafe) let operation = unsafe operation
        let isStarted = DetachedThread.start {
            let code = unsafe key.runWithPIN(operation)
            result.update { $0 = code }
        }
        guard isStarted else {
            var code = Int32(CFIDO_ERR_INTERNAL)
            try prompts.touch(touch) {
                code = unsafe runWithPIN(operation)
                return true
            }
            return code
        }
        func code(within time: Duration) -> Int32? {
            result.wait(until: .now + time) { $0 }
        }
        do {
            try prompts.touch(touch) { code(within: .milliseconds(50)) != nil }
        } catch {
            // Repeat it: between the messages of an operation, a key has nothing to cancel.
            repeat {
                _ = unsafe functions.pointee.fido_dev_cancel(device)
            } while code(within: .milliseconds(100)) == nil
            throw error
        }
        return result.wait { $0 } ?? Int32(CFIDO_ERR_INTERNAL)
    }

    private func runWithPIN(
        _ operation: (OpaquePointer, UnsafePointer<CChar>?) -> Int32
    ) -> Int32 {
        // The stack has traces of the key agreement and of the decrypted output.
        defer { StackTraces.wipe(16_384) }
        guard requiresPIN, let pin = pin.take() else { return unsafe operation(device, nil) }
        let code = pin.withBytes { bytes in
            unsafe bytes.withUnsafeBytes {
                unsafe operation(device, $0.assumingMemoryBound(to: CChar.self).baseAddress)
            }
        }
        self.pin = consume pin
        return code
    }

    /// Asks for a PIN until it is valid: a C string of 4 to 63 bytes. An invalid one counts as an attempt here, but not on the key.
    private func askForPIN() throws {
        while true {
            let left = try attemptsLeft()
            if left == 0 { throw SecurityKeyError.pinBlocked }
            let typed = try prompts.pin(attemptsLeft: left, wasWrong: wrongPINs > 0)
            let isPossible = typed.withBytes { bytes in
                (4...63).contains(bytes.byteCount)
                    && !(0..<bytes.byteCount).contains {
                        unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) == 0
                    }
            }
            if isPossible {
                pin = try Self.nulTerminated(typed)
                return
            }
            wrongPINs += 1
            if wrongPINs == Self.maximumPINAttempts {
                throw SecurityKeyError.pinWrong(attemptsLeft: left)
            }
        }
    }

    /// A copy of the bytes with a terminating zero.
    private static func nulTerminated(_ text: borrowing SecretBytes) throws -> SecretBytes {
        var longer = try SecretBytes(count: text.count + 1)
        text.withBytes { source in
            longer.withMutableBytes { target in
                for offset in 0..<source.byteCount {
                    target.storeBytes(
                        of: unsafe source.unsafeLoad(fromByteOffset: offset, as: UInt8.self),
                        toByteOffset: offset, as: UInt8.self)
                }
            }
        }
        return longer
    }

    /// The number of attempts before the key blocks its PIN; nil if the key does not report it.
    private func attemptsLeft() throws -> Int? {
        let start = MonotonicTime.now
        var count: Int32 = 0
        let code = unsafe functions.pointee.fido_dev_get_retry_count(device, &count)
        if code > CFIDO_OK { return nil }
        try check(code, since: start)
        return Int(count)
    }

    // MARK: Results

    /// Throws the error for a result code of an operation that began at `start`; nil if the operation sent nothing.
    private func check(_ code: Int32, since start: MonotonicTime? = nil) throws {
        switch Int(code) {
        case CFIDO_OK: return
        case CFIDO_ERR_TX, CFIDO_ERR_RX, CFIDO_ERR_INTERNAL:
            guard let start else { throw SecurityKeyError.failed(code: code) }
            // Cancelling also stops the blinking of a key that waits for a touch.
            guard unsafe functions.pointee.fido_dev_cancel(device) == CFIDO_OK else {
                throw SecurityKeyError.removed
            }
            throw start + timeout <= MonotonicTime.now
                ? SecurityKeyError.noTouch : SecurityKeyError.failed(code: code)
        default: throw SecurityKeyError(code: code)
        }
    }

    private static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
    }
}
