internal import CCurl
internal import Platform

/// Says in our words how an exchange ended.
struct CurlFailure {
    private let exchange: Exchange
    private let ranOutOfMemory: Bool

    init(_ exchange: Exchange, ranOutOfMemory: Bool) {
        self.exchange = exchange
        self.ranOutOfMemory = ranOutOfMemory
    }

    /// Nil if there is an answer.
    func error(_ code: UInt32, _ handle: borrowing CurlHandle, _ url: WebURL) -> HTTPClientError? {
        let error = lastError(code, handle, url)
        // After a connection that was used before has ended, libcurl tries another one, and tells how that ended. What took the content was
        // the first one.
        if exchange.hasSent, let error, !error.mayHaveArrived { return .connectionLost }
        return error
    }

    private func lastError(
        _ code: UInt32, _ handle: borrowing CurlHandle, _ url: WebURL
    ) -> HTTPClientError? {
        if unsafe exchange.reach.pointee.did_refuse { return .notLoopback }
        if let failure = exchange.failure { return failure }
        if code == CCURLE_OK { return refusal(of: url) }
        if ranOutOfMemory { return .outOfMemory }
        switch Int(code) {
        case CCURLE_COULDNT_RESOLVE_HOST: return .hostNotFound
        case CCURLE_COULDNT_RESOLVE_PROXY, CCURLE_PROXY: return .proxyFailed(status: nil)
        case CCURLE_COULDNT_CONNECT:
            return handle.number(CCURLINFO_OS_ERRNO) == Int(ECONNREFUSED)
                ? .connectionRefused : .unreachable
        case CCURLE_OPERATION_TIMEDOUT:
            return isConnected(handle) ? .timedOut : .connectingTimedOut
        case CCURLE_SSL_CONNECT_ERROR: return .handshakeFailed
        case CCURLE_PEER_FAILED_VERIFICATION: return .certificate(problem(handle))
        case CCURLE_SSL_PINNEDPUBKEYNOTMATCH: return .certificate(.keyNotPinned)
        case CCURLE_SSL_CACERT_BADFILE, CCURLE_SSL_CERTPROBLEM: return .authoritiesMalformed
        case CCURLE_UNSUPPORTED_PROTOCOL, CCURLE_WEIRD_SERVER_REPLY: return .answerMalformed
        case CCURLE_PARTIAL_FILE: return .answerIncomplete
        case CCURLE_GOT_NOTHING, CCURLE_SEND_ERROR, CCURLE_RECV_ERROR, CCURLE_SEND_FAIL_REWIND:
            return lost(handle)
        // libcurl has a limit of its own for one line of a head, and no other word for it.
        case CCURLE_OUT_OF_MEMORY, CCURLE_TOO_LARGE: return .headTooLarge
        default: return .libraryFailed(code: code)
        }
    }

    /// What is wrong with an answer that came whole.
    private func refusal(of url: WebURL) -> HTTPClientError? {
        let head = exchange.head
        guard head.isComplete else {
            return head.status == 0 ? .answerMalformed : .answerIncomplete
        }
        if (300...399).contains(head.status) {
            return .redirected(status: head.status, host: head.target(from: url))
        }
        // libcurl takes a connection that broke off for an end, with TLS as without.
        return head.saysEnd ? nil : .answerIncomplete
    }

    private func lost(_ handle: borrowing CurlHandle) -> HTTPClientError {
        let proxyStatus = handle.number(CCURLINFO_HTTP_CONNECTCODE)
        if proxyStatus != 0, !isConnected(handle) { return .proxyFailed(status: proxyStatus) }
        return exchange.head.isComplete ? .answerIncomplete : .connectionLost
    }

    private func isConnected(_ handle: borrowing CurlHandle) -> Bool {
        handle.size(CCURLINFO_PRETRANSFER_TIME_T) > 0
    }

    /// By OpenSSL's numbers (x509_vfy.h). libcurl compares names itself, after all else was accepted.
    private func problem(
        _ handle: borrowing CurlHandle
    ) -> HTTPClientError.CertificateProblem {
        let code = handle.number(CCURLINFO_SSL_VERIFYRESULT)
        guard handle.hasOpenSSL else { return .other(code: code) }
        return switch code {
        case 0, 1, 62, 64: .otherName
        case 9: .notYetValid
        case 10: .expired
        case 2, 18, 19, 20, 21, 27: .unknownAuthority
        default: .other(code: code)
        }
    }
}
