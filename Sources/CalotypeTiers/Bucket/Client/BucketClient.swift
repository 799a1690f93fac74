import CalotypeLoading
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// Sends signed requests to a bucket, each once: retries are the business of the callers.
///
/// The exception is a refused signature time: the clock offset is then learned, and the request sent once more.
final class BucketClient: Sendable {
  let bucket: Bucket
  let limits: BucketLimits
  let now: @Sendable () -> Date
  private let credentials: CredentialStore
  private let loader: CurlLoader
  private let state = Lock(State())

  private struct State {
    var clock = BucketClock()
    /// The signer of the present keys.
    var signer: (keys: BucketKeys, signer: RequestSigner)?
  }

  /// - Parameters:
  ///   - loader: The configuration of connections: certificates and proxies. Its header fields and redirects do not apply.
  ///   - now: The wall clock, for signatures.
  init(
    _ bucket: Bucket, credentials: CredentialStore, loader: CurlLoader.Configuration, limits: BucketLimits,
    now: @escaping @Sendable () -> Date
  ) {
    self.bucket = bucket
    self.credentials = credentials
    self.limits = limits
    self.now = now
    var configuration = loader
    configuration.headers = [.userAgent: "Calotype/0.1"]
    configuration.cookies = .none
    configuration.credentials = [:]
    self.loader = CurlLoader(configuration)
  }

  /// The seconds that the server's clock is ahead of ours, as far as known.
  var clockOffset: Int { state.withLock { $0.clock.offset } }

  /// Ends all requests.
  func shutDown() async { await loader.shutDown() }

  // MARK: Requests

  /// Sends a request and returns the answer, of whatever status.
  func send(_ call: BucketCall) async throws(BucketError) -> BucketAnswer {
    let offset = clockOffset
    let first = try await sendOnce(call, offset: offset)
    guard first.status == 403 else { return first }
    switch refusal(first, of: call) {
    case .clock:
      let date = first.fields[.date]
      let isLearned = state.withLock { $0.clock.refused(date: date, used: offset, now: now()) }
      return isLearned ? try await sendOnce(call, offset: clockOffset) : first
    case .keys:
      if let keys = state.withLock({ $0.signer?.keys }) { await credentials.reject(keys) }
      return first
    case .other: return first
    }
  }

  private enum Refusal {
    case clock, keys, other
  }

  /// The reason of a 403. The answer to a `HEAD` has none: there, only the clock is considered.
  private func refusal(_ answer: BucketAnswer, of call: BucketCall) -> Refusal {
    if call.method == .head { return .clock }
    guard case .refused(_, let code, _, _) = answer.error else { return .other }
    return switch code {
    case "RequestTimeTooSkewed": .clock
    case "ExpiredToken", "InvalidAccessKeyId", "TokenRefreshRequired", "InvalidToken": .keys
    default: .other
    }
  }

  private func sendOnce(_ call: BucketCall, offset: Int) async throws(BucketError) -> BucketAnswer {
    let isWrite = call.method.hasContent
    let count = call.content.reduce(0) { $0 + $1.count }
    let (timeouts, head) = limits.timeouts(writing: isWrite || call.isPatient ? count : nil)
    let signer = try await signer(within: head)
    let payload =
      call.payload
      ?? (isWrite ? PayloadHash.chosen(for: call.content, isSecure: bucket.isSecure) : .empty)
    let signed = signer.sign(
      RequestSigner.Request(
        method: call.method.rawValue, host: bucket.host, path: path(call.key), query: call.query,
        fields: call.fields, payload: payload),
      at: SigningTime(now().addingTimeInterval(Double(offset))))
    guard let url = URL(string: bucket.base + signed.target, encodingInvalidCharacters: false) else {
      throw .invalidConfiguration(reason: "its endpoint and keys make no URL")
    }
    var request = LoadRequest(
      source: .url(url), headers: signed.fields, timeouts: timeouts, byteLimit: call.byteLimit)
    request.exchange = LoadRequest.Exchange(call.method, content: call.content, headLimit: head)
    do {
      let response = try await loader.load(request)
      var body = Data()
      for try await chunk in response.body {
        if body.isEmpty {
          // Most answers are one piece.
          body = chunk
          if let length = response.expectedLength, length > chunk.count {
            body.reserveCapacity(min(length, 16 << 20))
          }
        } else {
          body.append(chunk)
        }
      }
      return BucketAnswer(status: response.status ?? 0, fields: response.headers, body: body)
    } catch {
      throw BucketError(loading: error)
    }
  }

  private func path(_ key: String?) -> String {
    if let key { return bucket.basePath + key }
    return bucket.basePath == "/" ? "/" : String(bucket.basePath.dropLast())
  }

  private func signer(within limit: Duration) async throws(BucketError) -> RequestSigner {
    let keys = try await credentials.keys(within: limit)
    return state.withLock { state in
      if let known = state.signer, known.keys == keys { return known.signer }
      let signer = RequestSigner(keys, region: bucket.region)
      state.signer = (keys, signer)
      return signer
    }
  }
}

extension LoadRequest.Exchange.Method {
  /// Whether requests of the method have a content, perhaps an empty one.
  var hasContent: Bool { self == .put || self == .post }
}

extension BucketError {
  /// Describes a failed transfer.
  init(loading error: any Error) {
    guard let error = error as? LoadingError else {
      self = .cancelled
      return
    }
    switch error {
    case .timedOut(_, .queue, _), .queueFull: self = .overloaded
    case .timedOut: self = .timedOut
    case .tooLarge: self = .malformedAnswer(reason: "it is too long")
    case .protocolError(_, let reason): self = .malformedAnswer(reason: reason)
    case .addressRefused, .invalidURL: self = .invalidConfiguration(reason: "its address is refused")
    case .loaderClosed: self = .unreachable(reason: "it was shut down")
    default: self = .unreachable(reason: error.code)
    }
  }
}
