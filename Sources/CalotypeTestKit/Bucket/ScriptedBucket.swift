import CalotypeSupport
public import FoundationEssentials
import Glibc

/// An S3 server with one bucket in memory, which verifies signatures by the book and plays faults.
///
/// It knows `GET` with ranges, `HEAD`, `PUT` with `If-None-Match: *` and `If-Match`, `DELETE`, and `ListObjectsV2` with
/// path addressing; everything else is 501.
///
/// ```swift
/// let server = try ScriptedBucket()
/// defer { server.stop() }
/// server.setFault { $0.method == "GET" ? .refuse(status: 503, code: "SlowDown", retryAfter: 1) : nil }
/// ```
public final class ScriptedBucket: Sendable {
  /// The requests that it has seen.
  public struct Counters: Hashable, Sendable {
    /// By method, refused ones included.
    public var requests: [String: Int] = [:]
    /// Refusals by their code.
    public var refusals: [String: Int] = [:]
    /// The reason of the last refused signature.
    public var lastReason = ""
  }

  /// How it treats `If-None-Match` and `If-Match` in a `PUT`.
  public enum Conditions: Hashable, Sendable {
    /// As AWS does.
    case honoured
    /// As older servers do.
    case ignored
    /// With 501.
    case refused
  }

  /// The HTTP server.
  public let server: ScriptedHTTPServer
  /// The name of the bucket.
  public let name: String
  /// The region that signatures must name.
  public let region: String
  /// The access key that it knows.
  public let accessKey: String
  /// Its secret.
  public let secretKey: String
  /// The session token that requests must have; `nil` for none.
  public let sessionToken: String?

  private struct State {
    var objects: [String: Data] = [:]
    /// When objects were written by a request, in seconds since 1970.
    var times: [String: Int] = [:]
    var fault: (@Sendable (ScriptedRequest) -> BucketFault?)?
    var conditions = Conditions.honoured
    var ignoresRanges = false
    var clockOffset = 0
    var counters = Counters()
  }

  private let state = Lock(State())
  private let now: @Sendable () -> Date

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - name: The name of the bucket.
  ///   - region: The region that signatures have to name.
  ///   - accessKey: The access key that is accepted.
  ///   - secretKey: The secret key of signatures.
  ///   - sessionToken: The token that requests have to send; `nil` for none.
  ///   - now: The clock of the server.
  /// - Throws: `ScriptedHTTPServer.StartError`.
  public init(
    name: String = "images", region: String = "us-east-1", accessKey: String = "AKIDEXAMPLE",
    secretKey: String = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", sessionToken: String? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws(ScriptedHTTPServer.StartError) {
    self.name = name
    self.region = region
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.sessionToken = sessionToken
    self.now = now
    server = try ScriptedHTTPServer()
    server.routeOthers { [weak self] request in self?.reply(to: request) ?? .close }
  }

  /// Closes all connections and the port.
  public func stop() { server.stop() }

  /// The URL of the server.
  public var endpoint: URL { server.url("") }

  // MARK: What a test sets and sees

  /// The objects by their keys.
  public var objects: [String: Data] {
    get { state.withLock { $0.objects } }
    set { state.withLock { $0.objects = newValue } }
  }

  /// An object.
  public subscript(key: String) -> Data? {
    get { state.withLock { $0.objects[key] } }
    set { state.withLock { $0.objects[key] = newValue } }
  }

  /// The requests so far.
  public var counters: Counters { state.withLock { $0.counters } }

  /// Decides which requests fail, and how; `nil` for none.
  public func setFault(_ fault: (@Sendable (ScriptedRequest) -> BucketFault?)?) {
    state.withLock { $0.fault = fault }
  }

  /// Sets how conditions are treated.
  public func setConditions(_ conditions: Conditions) { state.withLock { $0.conditions = conditions } }

  /// Sets whether it answers requests for parts with whole objects.
  public func setIgnoresRanges(_ ignoresRanges: Bool) { state.withLock { $0.ignoresRanges = ignoresRanges } }

  /// Sets the seconds that its clock is ahead.
  public func setClockOffset(_ seconds: Int) { state.withLock { $0.clockOffset = seconds } }

  // MARK: Requests

  private func reply(to request: ScriptedRequest) -> ScriptedReply {
    let (choose, offset) = state.withLock { state in
      state.counters.requests[request.method, default: 0] += 1
      return (state.fault, state.clockOffset)
    }
    let seconds = Int(now().timeIntervalSince1970) + offset
    let fault = choose?(request)
    switch fault {
    case .refuse(let status, let code, let retryAfter):
      return refusal(status, code, "as the test says", request, seconds, retryAfter: retryAfter)
    case .hang: return .hang
    case .close: return .close
    case .reset: return ScriptedReply([.reset])
    case .cut, .drip, .flip, .replace, .loseAnswer, nil: break
    }
    let verifier = SignatureVerifier(
      region: region, accessKey: accessKey, secretKey: secretKey, sessionToken: sessionToken)
    do {
      try verifier.verify(request, now: seconds)
    } catch {
      state.withLock { $0.counters.lastReason = error.reason }
      let status = error.code == "XAmzContentSHA256Mismatch" ? 400 : 403
      return refusal(status, error.code, "the signature is refused", request, seconds)
    }
    return answer(request, fault, seconds)
  }

  private func answer(_ request: ScriptedRequest, _ fault: BucketFault?, _ seconds: Int) -> ScriptedReply {
    let path =
      SignatureVerifier.unescaped(request.path[...]).map { String(decoding: $0, as: UTF8.self) } ?? ""
    guard path == "/\(name)" || path.hasPrefix("/\(name)/") else {
      return refusal(404, "NoSuchBucket", "there is no such bucket", request, seconds)
    }
    let key = String(path.dropFirst(name.count + 2))
    let reply: ScriptedReply
    switch (request.method, key.isEmpty) {
    case ("GET", true): reply = list(request, seconds)
    case ("GET", false), ("HEAD", false): return read(key, request, fault, seconds)
    case ("PUT", false): reply = write(key, request, seconds)
    case ("DELETE", false):
      self[key] = nil
      reply = ScriptedReply([.head(204, common(seconds))])
    default: reply = refusal(501, "NotImplemented", "unknown", request, seconds)
    }
    return fault == .loseAnswer ? ScriptedReply([.reset]) : reply
  }

  private func read(_ key: String, _ request: ScriptedRequest, _ fault: BucketFault?, _ seconds: Int)
    -> ScriptedReply
  {
    guard var object = self[key] else {
      return refusal(404, "NoSuchKey", "there is no such object", request, seconds)
    }
    var fields = common(seconds) + [("Content-Type", "binary/octet-stream")]
    if let time = state.withLock({ $0.times[key] }) { fields.append(("Last-Modified", Self.date(time))) }
    let etag = Self.etag(object)
    if request.method == "HEAD" {
      return ScriptedReply([.head(200, fields + [("ETag", etag), ("Content-Length", "\(object.count)")])])
    }
    if state.withLock({ $0.ignoresRanges }) {
      return .body(object, headers: fields + [("ETag", etag)])
    }
    switch fault {
    case .replace(let other): object = other
    case .flip(let bit) where !object.isEmpty:
      object[bit / 8 % object.count] ^= 1 << UInt8(bit % 8)
    case .cut(let count):
      return ScriptedReply.resource(object, etag: etag, for: request, headers: fields).cut(after: count)
    case .drip(let time):
      let head = ScriptedReply.Step.head(200, fields + [("Content-Length", "\(object.count)")])
      return ScriptedReply(
        [head, .bytes(Data(object.prefix(1)))] + object.dropFirst().map { .drip(Data([$0]), time) })
    default: break
    }
    return .resource(object, etag: etag, for: request, headers: fields)
  }

  private func write(_ key: String, _ request: ScriptedRequest, _ seconds: Int) -> ScriptedReply {
    let (absent, match) = (request[header: "If-None-Match"], request[header: "If-Match"])
    // Decided and carried out at once, so that of several writers one wins.
    let refused = state.withLock { state -> (status: Int, code: String)? in
      if absent != nil || match != nil {
        switch state.conditions {
        case .ignored: break
        case .refused: return (501, "NotImplemented")
        case .honoured:
          let present = state.objects[key]
          if absent != nil, absent != "*" { return (501, "NotImplemented") }
          if absent != nil, present != nil { return (412, "PreconditionFailed") }
          if let match {
            guard let present else { return (404, "NoSuchKey") }
            if Self.etag(present) != match { return (412, "PreconditionFailed") }
          }
        }
      }
      state.objects[key] = request.body
      state.times[key] = seconds
      return nil
    }
    if let refused { return refusal(refused.status, refused.code, "the condition failed", request, seconds) }
    return .status(200, headers: common(seconds) + [("ETag", Self.etag(request.body))])
  }

  private func list(_ request: ScriptedRequest, _ seconds: Int) -> ScriptedReply {
    var parameters: [String: String] = [:]
    for part in (request.query ?? "").split(separator: "&") {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard words.count == 2, let value = SignatureVerifier.unescaped(words[1]) else { continue }
      parameters[String(words[0])] = String(decoding: value, as: UTF8.self)
    }
    guard parameters["list-type"] == "2" else {
      return refusal(501, "NotImplemented", "version 1", request, seconds)
    }
    let prefix = parameters["prefix"] ?? ""
    let start = parameters["continuation-token"] ?? parameters["start-after"] ?? ""
    let limit = min(max(0, parameters["max-keys"].flatMap { Int($0) } ?? 1000), 1000)
    let found = objects.filter { key, _ in
      key.utf8.starts(with: prefix.utf8) && start.utf8.lexicographicallyPrecedes(key.utf8)
    }
    .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    let page = found.prefix(limit)
    var xml =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
    xml += "<Name>\(name)</Name><Prefix>\(Self.escaped(prefix))</Prefix><KeyCount>\(page.count)</KeyCount>"
    xml += "<MaxKeys>\(limit)</MaxKeys><IsTruncated>\(found.count > page.count)</IsTruncated>"
    if found.count > page.count, let last = page.last {
      xml += "<NextContinuationToken>\(Self.escaped(last.key))</NextContinuationToken>"
    }
    for (key, object) in page {
      xml += "<Contents><Key>\(Self.escaped(key))</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
      xml += "<ETag>\(Self.escaped(Self.etag(object)))</ETag><Size>\(object.count)</Size></Contents>"
    }
    xml += "</ListBucketResult>"
    return .body(Data(xml.utf8), headers: common(seconds) + [("Content-Type", "application/xml")])
  }

  // MARK: Answers

  private func refusal(
    _ status: Int, _ code: String, _ message: String, _ request: ScriptedRequest, _ seconds: Int,
    retryAfter: Int? = nil
  ) -> ScriptedReply {
    state.withLock { $0.counters.refusals[code, default: 0] += 1 }
    var fields = common(seconds) + [("Content-Type", "application/xml")]
    if let retryAfter { fields.append(("Retry-After", "\(retryAfter)")) }
    let xml =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>\(code)</Code><Message>\(message)</Message>"
      + "<AWSAccessKeyId>\(accessKey)</AWSAccessKeyId></Error>"
    if request.method == "HEAD" { return ScriptedReply([.head(status, fields + [("Content-Length", "0")])]) }
    return .body(Data(xml.utf8), status: status, headers: fields)
  }

  private func common(_ seconds: Int) -> [(name: String, value: String)] {
    [("Date", Self.date(seconds)), ("x-amz-request-id", "0A49CE4060975EAC"), ("Server", "ScriptedBucket")]
  }

  private static func date(_ seconds: Int) -> String {
    var (time, parts) = (time_t(seconds), tm())
    gmtime_r(&time, &parts)
    var buffer = [CChar](repeating: 0, count: 64)
    let count = strftime(&buffer, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func etag(_ object: Data) -> String {
    var digest = MessageDigest(.md5)
    object.withUnsafeBytes { digest.update($0) }
    return "\"\(Hex.encode(digest.finalize()))\""
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
  }
}
