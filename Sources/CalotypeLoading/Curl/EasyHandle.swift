import CCurl
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// One request in libcurl: the easy handle, its options and the memory that they point to. Used only on the loader's
/// thread.
///
/// Every request gets a fresh handle. Reused handles stall on HTTP/2 with libcurl 7.88.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var addressList: UnsafeMutablePointer<curl_slist>?
  private let messageBuffer: UnsafeMutablePointer<CChar>

  /// The context of the callbacks.
  typealias Owner = RunningTransfer

  /// `nil` when there is no memory for a handle.
  init?(
    _ hop: HTTPRequestStep, timeouts: LoadRequest.Timeouts, configuration: CurlLoader.Configuration,
    share: UnsafeMutableRawPointer?, keepsCookies: Bool, owner: Owner
  ) {
    guard let pointer = curl_easy_init() else { return nil }
    self.pointer = pointer
    messageBuffer = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    messageBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    setConnection(hop, timeouts, configuration)
    _ = calotype_curl_set_pointer(pointer, CURLOPT_SHARE, share)
    if keepsCookies { set(CURLOPT_COOKIEFILE, "") }
    setHeaders(hop.headers, sendsContent: owner.exchange?.method.sendsContent == true)
    if let exchange = owner.exchange { setMethod(exchange, owner) }
    setCredential(hop.credential)
    setTLS(configuration.tls)
    setProxy(configuration)
    setCallbacks(owner)
  }

  deinit {
    // The handle first: it points to the others.
    curl_easy_cleanup(pointer)
    curl_slist_free_all(headerList)
    curl_slist_free_all(addressList)
    messageBuffer.deallocate()
  }

  /// libcurl's description of the error; empty if there is none.
  var message: String { String(cString: messageBuffer) }

  // MARK: Options

  private func setConnection(
    _ hop: HTTPRequestStep, _ timeouts: LoadRequest.Timeouts, _ configuration: CurlLoader.Configuration
  ) {
    set(CURLOPT_URL, hop.url.text)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    // The loader follows redirects itself.
    set(CURLOPT_FOLLOWLOCATION, 0)
    // Signals belong to the program.
    set(CURLOPT_NOSIGNAL, 1)
    // A cancelled transfer must not wait for its name look-up, which would block all others.
    set(CURLOPT_QUICK_EXIT, 1)
    // The size that the curl command uses: a few per cent faster for large bodies than 64 KiB. From 128 KiB on, each
    // transfer's buffer may take fresh pages from the system.
    set(CURLOPT_BUFFERSIZE, 100 << 10)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_CONNECTTIMEOUT_MS, timeouts.connect.curlMilliseconds)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    // Over TLS, wait for a pending connection that may become HTTP/2. Plain HTTP never does.
    if hop.url.scheme == "https" { set(CURLOPT_PIPEWAIT, 1) }
    if let addresses = configuration.hostAddresses[hop.url.host], !addresses.isEmpty {
      let list = addresses.map { $0.isIPv4 ? "\($0)" : "[\($0)]" }.joined(separator: ",")
      addressList = curl_slist_append(nil, "\(hop.url.host):\(hop.url.port):\(list)")
      _ = calotype_curl_set_list(pointer, CURLOPT_RESOLVE, addressList)
    }
  }

  /// The content is read by a callback: it is sent from where it is, and again if a kept connection turns out to be
  /// closed.
  private func setMethod(_ exchange: LoadRequest.Exchange, _ owner: Owner) {
    // Signatures cover the path as written.
    set(CURLOPT_PATH_AS_IS, 1)
    switch exchange.method {
    case .get: break
    case .head: set(CURLOPT_NOBODY, 1)
    case .delete: set(CURLOPT_CUSTOMREQUEST, exchange.method.rawValue)
    case .put, .post:
      set(CURLOPT_UPLOAD, 1)
      if exchange.method == .post { set(CURLOPT_CUSTOMREQUEST, exchange.method.rawValue) }
      _ = calotype_curl_set_offset(pointer, CURLOPT_INFILESIZE_LARGE, curl_off_t(owner.upload.count))
      let context = Unmanaged.passUnretained(owner).toOpaque()
      _ = calotype_curl_set_pointer(pointer, CURLOPT_READDATA, context)
      _ = calotype_curl_set_pointer(pointer, CURLOPT_SEEKDATA, context)
      _ = calotype_curl_set_read(pointer, contentCallback)
      _ = calotype_curl_set_seek(pointer, seekCallback)
    }
  }

  private func setHeaders(_ fields: HTTPFields, sendsContent: Bool) {
    // Request no content coding. A coding that the server applies anyway is decoded after the queue, where
    // back-pressure limits it.
    if fields[.acceptEncoding] == nil { append("Accept-Encoding: identity") }
    // Otherwise libcurl sends its own.
    if !fields.contains(.accept) { append("Accept:") }
    // No waiting for 100 Continue before a large content.
    if sendsContent { append("Expect:") }
    for field in fields {
      switch field.name {
      // They describe the connection.
      case .contentLength, .transferEncoding, .connection, .upgrade: continue
      default: break
      }
      // libcurl would omit a field for "Name:"; "Name;" sends it without a value.
      append(field.value.isEmpty ? field.name.rawName + ";" : field.name.rawName + ": " + field.value)
    }
    _ = calotype_curl_set_list(pointer, CURLOPT_HTTPHEADER, headerList)
  }

  private func append(_ line: String) {
    if let list = curl_slist_append(headerList, line) { headerList = list }
  }

  private func setCredential(_ credential: LoadRequest.Credential?) {
    switch credential {
    case .basic(let user, let password):
      set(CURLOPT_HTTPAUTH, Int(calotype_curlauth_basic))
      set(CURLOPT_USERNAME, user)
      set(CURLOPT_PASSWORD, password)
    case .digest(let user, let password):
      set(CURLOPT_HTTPAUTH, Int(calotype_curlauth_digest))
      set(CURLOPT_USERNAME, user)
      set(CURLOPT_PASSWORD, password)
    case .bearer(let token):
      set(CURLOPT_HTTPAUTH, Int(calotype_curlauth_bearer))
      set(CURLOPT_XOAUTH2_BEARER, token)
    case nil: break
    }
  }

  private func setTLS(_ tls: CurlLoader.Configuration.TLS) {
    if let file = tls.caFile { set(CURLOPT_CAINFO, file) }
    if let file = tls.certificateFile { set(CURLOPT_SSLCERT, file) }
    if let file = tls.keyFile { set(CURLOPT_SSLKEY, file) }
    if let password = tls.keyPassword { set(CURLOPT_KEYPASSWD, password) }
    if !tls.verifiesServer {
      set(CURLOPT_SSL_VERIFYPEER, 0)
      set(CURLOPT_SSL_VERIFYHOST, 0)
    }
  }

  private func setProxy(_ configuration: CurlLoader.Configuration) {
    switch configuration.proxy {
    // An empty proxy makes libcurl ignore the environment.
    case .none: set(CURLOPT_PROXY, "")
    case .environment: if configuration.addressPolicy.isRestricting { set(CURLOPT_PROXY, "") }
    case .url(let url):
      set(CURLOPT_PROXY, url.absoluteString)
      // The exceptions of the environment do not apply.
      set(CURLOPT_NOPROXY, "")
    }
  }

  private func setCallbacks(_ owner: Owner) {
    _ = calotype_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, messageBuffer)
    let context = Unmanaged.passUnretained(owner).toOpaque()
    for option in [CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_PREREQDATA, CURLOPT_OPENSOCKETDATA] {
      _ = calotype_curl_set_pointer(pointer, option, context)
    }
    _ = calotype_curl_set_write(pointer, CURLOPT_WRITEFUNCTION, bodyCallback)
    _ = calotype_curl_set_write(pointer, CURLOPT_HEADERFUNCTION, headerCallback)
    _ = calotype_curl_set_prereq(pointer, connectedCallback)
    _ = calotype_curl_set_open_socket(pointer, openSocketCallback)
  }

  private func set(_ option: CURLoption, _ value: Int) {
    _ = calotype_curl_set_long(pointer, option, value)
  }

  private func set(_ option: CURLoption, _ value: String) {
    _ = calotype_curl_set_string(pointer, option, value)
  }

  // MARK: Metrics

  /// The number of connections that were opened for the request.
  var connectionsOpened: Int {
    var count = 0
    return calotype_curl_get_long(pointer, CURLINFO_NUM_CONNECTS, &count) == CURLE_OK ? count : 0
  }

  /// The metrics of the request by libcurl.
  var metrics: LoadResponse.Metrics {
    var metrics = LoadResponse.Metrics()
    let lookup = time(CURLINFO_NAMELOOKUP_TIME_T)
    let connect = max(time(CURLINFO_CONNECT_TIME_T), lookup)
    let tls = time(CURLINFO_APPCONNECT_TIME_T)
    metrics.isConnectionReused = connectionsOpened == 0
    if !metrics.isConnectionReused {
      metrics.nameLookup = lookup
      metrics.connect = connect - lookup
      if tls > .zero { metrics.tls = max(tls - connect, .zero) }
    }
    metrics.firstByte = max(time(CURLINFO_STARTTRANSFER_TIME_T) - time(CURLINFO_PRETRANSFER_TIME_T), .zero)
    metrics.bytesReceived = offset(CURLINFO_SIZE_DOWNLOAD_T)
    var value = 0
    if calotype_curl_get_long(pointer, CURLINFO_HEADER_SIZE, &value) == CURLE_OK {
      metrics.headerBytes = value
    }
    if calotype_curl_get_long(pointer, CURLINFO_HTTP_VERSION, &value) == CURLE_OK {
      metrics.networkProtocol = Self.protocolName(value)
    }
    var text: UnsafeMutablePointer<CChar>?
    if calotype_curl_get_string(pointer, CURLINFO_PRIMARY_IP, &text) == CURLE_OK, let text, text.pointee != 0
    {
      metrics.remoteAddress = String(cString: text)
    }
    return metrics
  }

  private static func protocolName(_ version: Int) -> String? {
    switch version {
    case Int(CURL_HTTP_VERSION_1_0): "http/1.0"
    case Int(CURL_HTTP_VERSION_1_1): "http/1.1"
    case Int(CURL_HTTP_VERSION_2_0): "h2"
    case Int(CURL_HTTP_VERSION_3): "h3"
    default: nil
    }
  }

  private func time(_ info: CURLINFO) -> Duration { .microseconds(offset(info)) }

  private func offset(_ info: CURLINFO) -> Int {
    var value: curl_off_t = 0
    return calotype_curl_get_offset(pointer, info, &value) == CURLE_OK ? Int(value) : 0
  }
}

// MARK: Callbacks

private func owner(_ context: UnsafeMutableRawPointer?) -> RunningTransfer? {
  context.map { Unmanaged<RunningTransfer>.fromOpaque($0).takeUnretainedValue() }
}

private func bodyCallback(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  owner(context)?.bodyBytes(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
}

/// Hands libcurl the next bytes of the content.
private func contentCallback(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  owner(context)?.contentBytes(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    ?? Int(CURL_READFUNC_ABORT)
}

private func seekCallback(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32) -> Int32
{
  // libcurl seeks from the beginning only.
  let isFound = origin == SEEK_SET && owner(context)?.upload.seek(to: Int(offset)) == true
  return isFound ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
}

private func headerCallback(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  let goesOn = owner(context)?.headerLine(line) ?? false
  // Any value but the count aborts, even for an empty line.
  return goesOn ? line.count : line.count + 1
}

/// Opens a socket to an allowed address. Child processes do not inherit it, because a copy would keep the connection
/// open after the loader closes it.
private func openSocketCallback(
  _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
  _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let address, let transfer = owner(context) else { return CURL_SOCKET_BAD }
  guard transfer.mayConnect(calotype_curl_socket_address(address)) else { return CURL_SOCKET_BAD }
  let entry = address.pointee
  return socket(entry.family, entry.socktype | Int32(SOCK_CLOEXEC.rawValue), entry.protocol)
}

private func connectedCallback(
  _ context: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?,
  _ local: UnsafeMutablePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
  guard let transfer = owner(context) else { return Int32(CURL_PREREQFUNC_ABORT) }
  let isWanted = transfer.connected(to: remote.map { String(cString: $0) } ?? "")
  return Int32(isWanted ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
}

extension Duration {
  /// Milliseconds, at least 1, for libcurl.
  var curlMilliseconds: Int {
    Int(min(max(nanosecondCount / 1_000_000, 1), Int64(Int32.max)))
  }
}
