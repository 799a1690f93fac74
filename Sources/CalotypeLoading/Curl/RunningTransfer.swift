import CalotypeSupport
import CCurl
import FoundationEssentials
import Glibc
import HTTPTypes

/// A running transfer: its requests one after another, and their responses. Used on the loader's thread only.
final class RunningTransfer {
  /// Events of one turn that the loop must process.
  struct Events {
    var bytes = 0
    var pauses = 0
    var peakBuffered = 0
    /// The consumer may have to be woken.
    var isTouched = false
  }

  /// The results of the callbacks of one turn, so that the loop need not examine all transfers.
  final class Turn {
    /// Transfers with events; some may have been processed since.
    var touched: [RunningTransfer] = []
    /// Not later than the first deadline of all.
    var nextDeadline = MonotonicTime.distantFuture
    /// When libcurl was last called. All callbacks of a turn share it, because each transfer has dozens.
    var now = MonotonicTime.now

    func note(_ deadline: MonotonicTime?) {
      if let deadline { nextDeadline = min(nextDeadline, deadline) }
    }
  }

  /// The meaning of the end of a request.
  enum End {
    case completed, failed
    /// There is another request to send: ``follow(at:)``.
    case redirected
  }

  let transfer: Transfer
  var timer: TransferTimer
  var events = Events()
  /// The error for the consumer, if the loader found it rather than libcurl.
  private(set) var failure: LoadingError?
  /// Its end is counted in the statistics already.
  var isCounted = false

  private let configuration: CurlLoader.Configuration
  private let share: CurlShare
  private let turn: Turn
  private let started: MonotonicTime
  private var handle: EasyHandle?
  private var hop: HTTPRequestStep
  private var parser: ResponseHeadParser
  private var head: ResponseHead?
  private var redirect: String?
  private var redirects: [LoadResponse.Redirect] = []
  /// The reason why the last address of the host was refused.
  private var addressRefusal: String?
  /// The position in the content of the request.
  var upload: UploadCursor
  private var received = 0
  private var discarded = 0

  /// The body of an error or a redirect is read up to this limit, so that the connection can be reused.
  static let discardLimit = 64 << 10

  /// `nil` when there is no memory for a handle.
  init?(
    _ transfer: Transfer, configuration: CurlLoader.Configuration, share: CurlShare, turn: Turn,
    now: MonotonicTime
  ) {
    self.transfer = transfer
    self.configuration = configuration
    self.share = share
    self.turn = turn
    started = now
    timer = TransferTimer(
      timeouts: transfer.request.timeouts, submitted: transfer.submitted, started: now,
      headLimit: transfer.request.exchange?.headLimit)
    upload = UploadCursor(transfer.request.exchange?.content ?? [])
    hop = transfer.target
    parser = ResponseHeadParser(answersChallenge: hop.answersChallenge)
    handle = makeHandle()
    if handle == nil { return nil }
  }

  /// The method and the content of the request; `nil` for a plain `GET`.
  var exchange: LoadRequest.Exchange? { transfer.request.exchange }

  /// The handle of the current request.
  var easy: UnsafeMutableRawPointer? { handle?.pointer }

  private func makeHandle() -> EasyHandle? {
    EasyHandle(
      hop, timeouts: transfer.request.timeouts, configuration: configuration,
      share: share.handle(partition: transfer.request.partition),
      keepsCookies: configuration.cookies == .memory && transfer.request.partition == nil, owner: self)
  }

  // MARK: Redirects

  /// Creates the request that a redirect asks for. Returns `false` if there is none: the consumer gets the error, or a
  /// 304.
  func follow(at now: MonotonicTime) -> Bool {
    guard let location = redirect else { return false }
    redirect = nil
    do {
      hop = try HTTPRequestStep(
        following: location, from: hop, first: transfer.target, of: (transfer.url, transfer.request),
        configuration)
    } catch {
      fail(error)
      return false
    }
    if hop.isHeld {
      var head = ResponseHead(url: responseURL, status: 304, headers: HTTPFields())
      head.redirects = redirects
      transfer.receive(head)
      transfer.receive(metrics)
      transfer.complete()
      touch()
      return false
    }
    parser = ResponseHeadParser(answersChallenge: hop.answersChallenge)
    discarded = 0
    addressRefusal = nil
    timer.hop(at: now)
    handle = makeHandle()
    if handle == nil { fail(.connectionFailed(transfer.url, reason: "no memory for another request")) }
    return handle != nil
  }

  // MARK: Callbacks

  /// Returns whether a socket to an address may be opened.
  func mayConnect(_ address: UnsafePointer<sockaddr>) -> Bool {
    guard isRestricted else { return true }
    guard let address = IPAddress(address) else {
      addressRefusal = "it is neither an IPv4 nor an IPv6 address"
      return false
    }
    addressRefusal = configuration.addressPolicy.refusal(of: address, host: hop.url.host)
    return addressRefusal == nil
  }

  /// A new or reused connection is ready. Returns whether the request may be sent.
  func connected(to remote: String) -> Bool {
    timer.connected(at: turn.now)
    // Unlike bytes, this can move the deadline forward: from that of the connection to that of the first
    // byte.
    turn.note(timer.deadline?.time)
    if isRestricted {
      let reason =
        if let address = IPAddress(remote) {
          configuration.addressPolicy.refusal(of: address, host: hop.url.host)
        } else {
          "it was connected to what is no address"
        }
      if let reason {
        fail(.addressRefused(transfer.url, reason: reason))
        return false
      }
    }
    return !transfer.isGone
  }

  /// Whether addresses are checked. The address of a trusted proxy has no meaning.
  private var isRestricted: Bool {
    if case .url = configuration.proxy { return false }
    return configuration.addressPolicy.isRestricting
  }

  /// Copies the next bytes of the content for libcurl, and returns their number.
  func contentBytes(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    timer.sent(at: turn.now)
    return upload.read(into: buffer)
  }

  /// Returns whether the transfer may continue.
  func headerLine(_ line: UnsafeRawBufferPointer) -> Bool {
    if timer.activity(at: turn.now, bytes: line.count) { turn.note(timer.deadline?.time) }
    switch parser.line(line) {
    case .none: return true
    case .final: return headArrived()
    case .tooLarge:
      fail(
        .protocolError(transfer.url, reason: "its header is larger than \(ResponseHeadParser.limit) bytes"))
      return false
    }
  }

  /// Examines the final head. Returns whether the transfer may continue.
  private func headArrived() -> Bool {
    var head = ResponseHead(url: responseURL, status: parser.status, headers: parser.headers)
    timer.headArrived()
    if exchange == nil, let location = head.redirectLocation {
      redirect = location
      redirects.append(LoadResponse.Redirect(status: head.status, headers: head.headers))
      return true
    }
    head.redirects = redirects
    self.head = head
    let request = transfer.request
    guard request.accepts(status: head.status) else {
      fail(.httpStatus(transfer.url, status: head.status, headers: head.headers, redirects: redirects))
      return head.expectedLength ?? 0 <= Self.discardLimit
    }
    if head.status == 206, request.headers[.range] == nil {
      fail(.protocolError(transfer.url, reason: "it is a part (status 206) that was not asked for"))
      return false
    }
    if head.hasInvalidLength {
      fail(.protocolError(transfer.url, reason: "its Content-Length is no number, or contradicts itself"))
      return false
    }
    // The length in an answer to HEAD is that of the body it omits.
    if let length = head.expectedLength, length > request.byteLimit, exchange?.method != .head {
      fail(.tooLarge(request.source, limit: request.byteLimit, declared: length))
      return false
    }
    transfer.receive(head)
    touch()
    return true
  }

  /// Returns the value for the write callback: the count when all bytes were taken.
  func bodyBytes(_ bytes: UnsafeRawBufferPointer) -> Int {
    timer.activity(at: turn.now, bytes: bytes.count)
    // The challenge was not answered: this is the body of the 401.
    if parser.settle(), !headArrived() { return 0 }
    if failure != nil || redirect != nil {
      discarded += bytes.count
      return discarded > Self.discardLimit ? 0 : bytes.count
    }
    let limit = transfer.request.byteLimit
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
      timer.paused(at: turn.now, refusing: bytes.count)
      events.pauses += 1
      // The consumer may be waiting already, because the buffered bytes arrived after its last check.
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

  /// libcurl has finished a request. Ends the transfer if it was the last.
  func ended(_ result: CURLcode) -> End {
    if redirect != nil, failure == nil, !transfer.isGone { return .redirected }
    touch()
    transfer.receive(metrics)
    if failure != nil { return .failed }
    if result == CURLE_OK, parser.settle() { _ = headArrived() }
    if failure != nil { return .failed }
    if result == CURLE_OK, head == nil {
      fail(.protocolError(transfer.url, reason: "it has no header"))
    } else if result == CURLE_OK {
      transfer.complete()
    } else if result == CURLE_COULDNT_CONNECT, let addressRefusal {
      fail(.addressRefused(transfer.url, reason: addressRefusal))
    } else {
      fail(failure(for: result).error)
    }
    return failure == nil ? .completed : .failed
  }

  /// Ends the transfer with an error of the loader.
  func ended(with error: LoadingError) {
    fail(error)
  }

  /// A deadline passed.
  func timedOut(_ phase: LoadRequest.Timeouts.Phase) {
    fail(.timedOut(transfer.url, phase: phase, after: timer.duration(phase)))
  }

  private func failure(for result: CURLcode) -> CurlFailure {
    let specific = handle?.message ?? ""
    return CurlFailure(
      result: result, message: specific.isEmpty ? String(cString: curl_easy_strerror(result)) : specific,
      url: transfer.url, host: hop.url.host, timeouts: transfer.request.timeouts,
      isConnected: timer.isConnected, received: received, expected: head?.expectedLength, hasHead: head != nil
    )
  }

  /// The number of connections that the current request opened.
  var connectionsOpened: Int { handle?.connectionsOpened ?? 0 }

  private var metrics: LoadResponse.Metrics {
    var metrics = handle?.metrics ?? LoadResponse.Metrics()
    metrics.queued = transfer.submitted.duration(to: started)
    metrics.total = transfer.submitted.duration(to: .now)
    metrics.redirects = hop.number
    return metrics
  }

  /// The URL of the response: that of the request, unless redirected.
  private var responseURL: URL {
    hop.number == 0 ? transfer.url : URL(string: hop.url.text) ?? transfer.url
  }
}
