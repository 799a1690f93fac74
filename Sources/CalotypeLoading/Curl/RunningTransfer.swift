import CCurl
import FoundationEssentials
import Glibc
import HTTPTypes

/// A transfer on the wire: its easy handle and all that libcurl points into. Lives on the loader's thread
/// only.
///
/// Every transfer gets a fresh easy handle. Reused ones stall on HTTP/2 with libcurl 7.88.
final class RunningTransfer {
  /// What the loop must know after the callbacks of one turn.
  struct Events {
    var bytes = 0
    var pauses = 0
    var peakBuffered = 0
    /// There may be something to tell the consumer.
    var isTouched = false
  }

  /// What the callbacks leave for the loop to look at, so that it need not go through all transfers every
  /// turn.
  final class Turn {
    /// Transfers with events; some may have been looked at since.
    var touched: [RunningTransfer] = []
    /// Not later than the first deadline of all.
    var nextDeadline = MonotonicTime.distantFuture

    func note(_ deadline: MonotonicTime?) {
      if let deadline { nextDeadline = min(nextDeadline, deadline) }
    }
  }

  let transfer: Transfer
  let host: String
  let easy: UnsafeMutableRawPointer
  var timer: TransferTimer
  var events = Events()
  /// The error the consumer got or gets, if we found it rather than libcurl.
  private(set) var failure: LoadingError?
  /// How it ended is in the figures already.
  var isCounted = false

  private let configuration: CurlLoader.Configuration
  private let turn: Turn
  private var parser = ResponseHeadParser()
  private var head: ResponseHead?
  private var received = 0
  private var discarded = 0
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private let message: UnsafeMutablePointer<CChar>

  /// A body nobody wants (that of an error) is read up to here, so that the connection can be used again.
  static let discardLimit = 64 << 10

  /// `nil` when there is no memory for a handle.
  init?(
    _ transfer: Transfer, host: String, configuration: CurlLoader.Configuration, turn: Turn,
    now: MonotonicTime
  ) {
    guard let easy = curl_easy_init() else { return nil }
    self.easy = easy
    self.transfer = transfer
    self.host = host
    self.configuration = configuration
    self.turn = turn
    timer = TransferTimer(timeouts: transfer.request.timeouts, submitted: transfer.submitted, started: now)
    message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    setUp()
  }

  deinit {
    // The handle first: it points to the other two.
    curl_easy_cleanup(easy)
    curl_slist_free_all(headerList)
    message.deallocate()
  }

  // MARK: Options

  private func setUp() {
    let request = transfer.request
    set(CURLOPT_URL, transfer.url.absoluteString)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, 1)
    set(CURLOPT_MAXREDIRS, max(0, configuration.maxRedirects))
    // Signals are for the program that embeds us.
    set(CURLOPT_NOSIGNAL, 1)
    // A cancelled transfer does not wait for the thread that looks its host name up: the others would stand still.
    set(CURLOPT_QUICK_EXIT, 1)
    // As the command of curl has it: a few per cent less time for large bodies than with 64 KiB. From 128 KiB on, each
    // transfer's buffer may be pages that are fresh from the system.
    set(CURLOPT_BUFFERSIZE, 100 << 10)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_CONNECTTIMEOUT_MS, request.timeouts.connect.curlMilliseconds)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    // Over TLS, wait for a connection under way that may turn out to be HTTP/2. Plain HTTP never is.
    if transfer.url.scheme?.lowercased() == "https" { set(CURLOPT_PIPEWAIT, 1) }
    set(CURLOPT_USERAGENT, configuration.userAgent)
    // Asks for no coding, and makes libcurl undo one that comes unasked.
    set(CURLOPT_ACCEPT_ENCODING, "identity")
    if let file = configuration.caFile { set(CURLOPT_CAINFO, file) }
    setHeaders(request.headers)

    _ = calotype_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, message)
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = calotype_curl_set_pointer(easy, CURLOPT_WRITEDATA, context)
    _ = calotype_curl_set_pointer(easy, CURLOPT_HEADERDATA, context)
    _ = calotype_curl_set_pointer(easy, CURLOPT_PREREQDATA, context)
    _ = calotype_curl_set_write(easy, CURLOPT_WRITEFUNCTION, bodyCallback)
    _ = calotype_curl_set_write(easy, CURLOPT_HEADERFUNCTION, headerCallback)
    _ = calotype_curl_set_prereq(easy, connectedCallback)
    _ = calotype_curl_set_open_socket(easy, openSocketCallback)
  }

  private func set(_ option: CURLoption, _ value: Int) {
    _ = calotype_curl_set_long(easy, option, value)
  }

  private func set(_ option: CURLoption, _ value: String) {
    _ = calotype_curl_set_string(easy, option, value)
  }

  private func setHeaders(_ fields: HTTPFields) {
    if fields[.accept] == nil { append("Accept: \(configuration.accept)") }
    for field in fields where !Self.connectionFields.contains(field.name.canonicalName) {
      // "Name:" would mean to libcurl: leave it out; "Name;" means: send it without a value.
      append(field.value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)")
    }
    _ = calotype_curl_set_list(easy, CURLOPT_HTTPHEADER, headerList)
  }

  private static let connectionFields: Set = ["content-length", "transfer-encoding", "connection", "upgrade"]

  private func append(_ line: String) {
    if let list = curl_slist_append(headerList, line) { headerList = list }
  }

  // MARK: Callbacks

  func connected() -> Int32 {
    timer.connected(at: .now)
    // Unlike bytes, this can move the deadline forward: from that of the connection to that of the first
    // byte.
    turn.note(timer.deadline?.time)
    return transfer.isGone ? Int32(CURL_PREREQFUNC_ABORT) : Int32(CURL_PREREQFUNC_OK)
  }

  /// Returns whether the transfer may go on.
  func headerLine(_ line: UnsafeRawBufferPointer) -> Bool {
    timer.activity(at: .now, bytes: line.count)
    switch parser.line(line) {
    case .none: return true
    case .final: return headArrived()
    case .tooLarge:
      fail(
        .protocolError(transfer.url, reason: "its header is larger than \(ResponseHeadParser.limit) bytes"))
      return false
    }
  }

  /// Looks at the final head. Returns whether the transfer may go on.
  private func headArrived() -> Bool {
    let head = ResponseHead(url: effectiveURL, status: parser.status, headers: parser.headers)
    self.head = head
    guard head.isAcceptable else {
      fail(.httpStatus(transfer.url, status: head.status, headers: head.headers))
      return true
    }
    if let length = head.expectedLength, length > transfer.request.maxBytes {
      fail(.tooLarge(transfer.request.source, limit: transfer.request.maxBytes, declared: length))
      return false
    }
    transfer.receive(head)
    touch()
    return true
  }

  /// What the write callback returns: the count when all was taken.
  func bodyBytes(_ bytes: UnsafeRawBufferPointer) -> Int {
    timer.activity(at: .now, bytes: bytes.count)
    if failure != nil {
      discarded += bytes.count
      return discarded > Self.discardLimit ? 0 : bytes.count
    }
    let limit = transfer.request.maxBytes
    guard bytes.count <= limit - received else {
      fail(.tooLarge(transfer.request.source, limit: limit, declared: head?.expectedLength))
      return 0
    }
    switch transfer.receive(bytes) {
    case .accepted(let buffered):
      received += bytes.count
      events.bytes += bytes.count
      events.peakBuffered = max(events.peakBuffered, buffered)
      touch()
      return bytes.count
    case .pause:
      timer.paused()
      events.pauses += 1
      // The consumer may be waiting already: what made us stop came in after it last looked.
      touch()
      return Int(CURL_WRITEFUNC_PAUSE)
    case .abort:
      return 0
    }
  }

  private func touch() {
    guard !events.isTouched else { return }
    events.isTouched = true
    turn.touched.append(self)
  }

  private func fail(_ error: LoadingError) {
    if failure == nil { failure = error }
    transfer.fail(error)
    touch()
  }

  // MARK: End

  /// libcurl is done. Tells the consumer's side and returns whether it went well.
  func ended(_ result: CURLcode) -> Bool {
    touch()
    if failure != nil { return false }
    if result == CURLE_OK, head == nil {
      fail(.protocolError(transfer.url, reason: "it has no header"))
    } else if result == CURLE_OK {
      transfer.complete()
    } else {
      fail(failure(for: result).error)
    }
    return failure == nil
  }

  /// We end it ourselves.
  func ended(with error: LoadingError) {
    fail(error)
  }

  /// A deadline passed.
  func timedOut(_ phase: LoadTimeouts.Phase) {
    fail(.timedOut(transfer.url, phase: phase, after: transfer.request.timeouts.duration(phase)))
  }

  private func failure(for result: CURLcode) -> CurlFailure {
    let specific = String(cString: message)
    return CurlFailure(
      result: result, message: specific.isEmpty ? String(cString: curl_easy_strerror(result)) : specific,
      url: transfer.url, configuration: configuration, timeouts: transfer.request.timeouts,
      isConnected: timer.isConnected, redirects: parser.redirects, received: received,
      expected: head?.expectedLength, hasHead: head != nil)
  }

  /// Connections this transfer had to open.
  var connectionsOpened: Int {
    var count = 0
    return calotype_curl_get_long(easy, CURLINFO_NUM_CONNECTS, &count) == CURLE_OK ? count : 0
  }

  private var effectiveURL: URL {
    var text: UnsafeMutablePointer<CChar>?
    guard parser.redirects > 0, calotype_curl_get_string(easy, CURLINFO_EFFECTIVE_URL, &text) == CURLE_OK,
      let text, let url = URL(string: String(cString: text))
    else { return transfer.url }
    return url
  }
}

private func bodyCallback(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  return Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
    .bodyBytes(UnsafeRawBufferPointer(start: bytes, count: size * count))
}

private func headerCallback(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  let goOn = Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue().headerLine(line)
  // Anything but the count aborts; for an empty line of no bytes too.
  return goOn ? line.count : line.count + 1
}

/// A socket that child processes do not inherit: one that lives on in a child is not closed when we close it,
/// and the server does not learn that we left.
private func openSocketCallback(
  _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
  _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let address = address?.pointee else { return CURL_SOCKET_BAD }
  return socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
}

private func connectedCallback(
  _ context: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?,
  _ local: UnsafeMutablePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
  guard let context else { return Int32(CURL_PREREQFUNC_ABORT) }
  return Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue().connected()
}
