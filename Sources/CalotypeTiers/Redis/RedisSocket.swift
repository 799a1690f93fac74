import CCurl
import CalotypeSupport
import FoundationEssentials

/// One connection by libcurl, plain or with TLS (`CURLOPT_CONNECT_ONLY`). Used by one thread.
final class RedisSocket {
  /// The result of one call.
  enum Transfer {
    case bytes(Int)
    case again
    case closed
  }

  /// The socket, to poll.
  let descriptor: Int32
  private let handle: UnsafeMutableRawPointer

  private static let isInitialized = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// Connects, and blocks meanwhile.
  ///
  /// - Throws: ``Failure`` with libcurl's description.
  init(_ configuration: RedisClient.Configuration) throws(Failure) {
    guard Self.isInitialized, let handle = curl_easy_init() else { throw Failure(reason: "no memory") }
    let host =
      configuration.host.contains(":") && !configuration.host.hasPrefix("[")
      ? "[\(configuration.host)]" : configuration.host
    let options: [(CURLoption, String?)] = [
      (CURLOPT_URL, "\(configuration.usesTLS ? "https" : "http")://\(host):\(configuration.port)"),
      (CURLOPT_PROTOCOLS_STR, "http,https"),
      // No proxy, whatever the environment says.
      (CURLOPT_PROXY, ""),
      (CURLOPT_CAINFO, configuration.caFile),
      (CURLOPT_SSLCERT, configuration.certificateFile),
      (CURLOPT_SSLKEY, configuration.keyFile),
    ]
    for (option, value) in options {
      if let value { _ = calotype_curl_set_string(handle, option, value) }
    }
    let milliseconds = max(1, Int(configuration.connectTimeout.inMilliseconds.rounded(.up)))
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_CONNECT_ONLY, 1), (CURLOPT_NOSIGNAL, 1), (CURLOPT_SSL_ENABLE_ALPN, 0),
      (CURLOPT_TCP_NODELAY, 1),
      (CURLOPT_TCP_KEEPALIVE, 1), (CURLOPT_CONNECTTIMEOUT_MS, milliseconds), (CURLOPT_QUICK_EXIT, 1),
    ]
    for (option, value) in numbers { _ = calotype_curl_set_long(handle, option, value) }
    let result = curl_easy_perform(handle)
    var socket: curl_socket_t = -1
    guard result == CURLE_OK, calotype_curl_get_socket(handle, &socket) == CURLE_OK, socket >= 0 else {
      curl_easy_cleanup(handle)
      throw Failure(reason: String(cString: curl_easy_strerror(result)))
    }
    self.handle = handle
    descriptor = socket
  }

  deinit { curl_easy_cleanup(handle) }

  /// There is no connection.
  struct Failure: Error {
    var reason: String
  }

  /// Sends some bytes without waiting.
  func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
    var count = 0
    let result = curl_easy_send(handle, bytes.baseAddress, bytes.count, &count)
    return Self.transfer(result, count)
  }

  /// Receives some bytes without waiting. Call it until it says ``Transfer/again`` before polling: TLS holds bytes back
  /// that the socket no longer shows.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    var count = 0
    let result = curl_easy_recv(handle, buffer.baseAddress, buffer.count, &count)
    // A stream that has ended is successful, and empty.
    return result == CURLE_OK && count == 0 ? .closed : Self.transfer(result, count)
  }

  private static func transfer(_ result: CURLcode, _ count: Int) -> Transfer {
    switch result {
    case CURLE_OK: .bytes(count)
    case CURLE_AGAIN: .again
    default: .closed
    }
  }
}
