import CCurl
import FoundationEssentials

/// The reason why libcurl ended a transfer, as a ``LoadingError``.
struct CurlFailure {
  let result: CURLcode
  /// libcurl's message, more specific than the code.
  let message: String
  let url: URL
  /// The host of the failed request: that of ``url``, unless redirected.
  let host: String
  let timeouts: LoadRequest.Timeouts
  let isConnected: Bool
  let received: Int
  let expected: Int?
  let hasHead: Bool

  var error: LoadingError {
    switch result {
    case CURLE_URL_MALFORMAT:
      .invalidURL(url, reason: message)
    case CURLE_UNSUPPORTED_PROTOCOL:
      // Also libcurl's error for a response without a status line.
      .protocolError(url, reason: message)
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
      .hostNotFound(url, host: unknownHost)
    case CURLE_OPERATION_TIMEDOUT:
      .timedOut(
        url, phase: isConnected ? .idle : .connect, after: timeouts.duration(isConnected ? .idle : .connect))
    case CURLE_PARTIAL_FILE:
      .truncatedBody(url, received: received, expected: expected)
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_ENGINE_NOTFOUND,
      CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CRL_BADFILE, CURLE_USE_SSL_FAILED,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CLIENTCERT:
      .tls(url, reason: message)
    case CURLE_OUT_OF_MEMORY where isConnected && !hasHead:
      // Also libcurl's error for a header line above its length limit.
      .protocolError(url, reason: "a line of its header is too long, or there is no memory for it")
    case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED, CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT:
      .connectionFailed(url, reason: message)
    case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      hasHead
        ? .truncatedBody(url, received: received, expected: expected)
        : .connectionFailed(url, reason: message)
    default:
      .protocolError(url, reason: message)
    }
  }

  /// The host name of a failed look-up, from the end of libcurl's message; it may be that of a proxy.
  private var unknownHost: String {
    if let last = message.split(separator: " ").last, message.contains(": ") { return String(last) }
    return host
  }
}
