import CalotypeLoading
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// The probes of a bucket. Each is a few requests; what they write is remembered, to be removed.
final class BucketProbes: Sendable {
  let client: BucketClient
  let samples: Int
  let elapsed: @Sendable () -> Duration
  /// The beginning of the keys of this check.
  let folder: String

  private struct State {
    var keys: Set<String> = []
    var skew: (date: String?, time: Date)?
    var tag: String?
  }

  private let state = Lock(State())
  /// The object that most probes read: not a record, so that no cache takes it for one.
  let content: Data

  static let contentType = "application/octet-stream"

  init(_ client: BucketClient, samples: Int, clock: any Clock<Duration>) {
    self.client = client
    self.samples = max(1, samples)
    elapsed = clock.stopwatch
    folder = client.bucket.key("v1/probe/\(Hex.encode((0..<16).map { _ in UInt8.random(in: 0...255) }))")
    content = Self.randomContent(4 << 10)
  }

  /// The keys of objects that may have been written.
  var keys: Set<String> { state.withLock { $0.keys } }
  /// Whether the server has answered, with any status.
  var hasAnswer: Bool { state.withLock { $0.skew != nil } }
  /// The `ETag` of the object that most probes read.
  var tag: String? { state.withLock { $0.tag } }

  func key(_ name: String) -> String { "\(folder)-\(name)" }

  static func randomContent(_ count: Int) -> Data { Data((0..<count).map { _ in UInt8.random(in: 0...255) }) }

  // MARK: Requests

  func send(_ call: BucketCall) async throws(BucketError) -> BucketAnswer {
    if call.method == .put, let key = call.key { state.withLock { _ = $0.keys.insert(key) } }
    let answer = try await client.send(call)
    let time = client.now()
    state.withLock { state in
      if state.skew == nil { state.skew = (answer.fields[.date], time) }
    }
    return answer
  }

  func write(
    _ name: String, _ content: Data, _ fields: HTTPFields = HTTPFields(), payload: PayloadHash? = nil
  ) async throws(BucketError) -> BucketAnswer {
    var call = BucketCall(method: .put, key: key(name), fields: fields, content: [content])
    call.fields[.contentType] = Self.contentType
    call.payload = payload
    return try await send(call)
  }

  func read(_ name: String, _ fields: HTTPFields = HTTPFields()) async throws(BucketError) -> BucketAnswer {
    try await send(BucketCall(method: .get, key: key(name), fields: fields))
  }

  // MARK: Probes that others need

  func signature() async -> TierFinding.Outcome {
    do throws(BucketError) {
      let answer = try await read("none")
      guard case .refused(let status, let code, _, _) = answer.error else { return .failed(answer.error) }
      switch (status, code) {
      case (404, "NoSuchBucket"):
        return .failed("there is no bucket \(client.bucket.name)", code: answer.error.code)
      case (404, _): return .ok("accepted")
      case (403, "AccessDenied"), (403, ""):
        return .warning(
          "accepted; a missing object answers 403",
          "reads count it as a miss; the keys lack the right to list (s3:ListBucket), which the log of purges needs"
        )
      case (200...299, _):
        return .failed(
          "an object that was never written was found", "this is no bucket", code: "bucketAnswer")
      default: return .failed(answer.error)
      }
    } catch {
      return .failed(error)
    }
  }

  func clockDifference() -> TierFinding.Outcome {
    guard let (date, time) = state.withLock({ $0.skew }) else {
      return .failed("no answer", code: "bucketAnswer")
    }
    return ClockDifference(date: date, now: time).outcome
  }

  func put() async -> TierFinding.Outcome {
    do throws(BucketError) {
      let answer = try await write("object", content, [.amzMetaCalotype: "2"])
      guard answer.isSuccess else { return .failed(answer.error, "nothing can be shared") }
      state.withLock { $0.tag = answer.fields[.eTag] }
      return .ok("\(content.count) bytes written")
    } catch {
      return .failed(error, "nothing can be shared")
    }
  }

  func get() async -> TierFinding.Outcome {
    do throws(BucketError) {
      let answer = try await read("object")
      guard answer.isSuccess else { return .failed(answer.error, "nothing can be shared") }
      guard answer.body == content else {
        return .failed(
          "other bytes than were written", "records that are not intact count as misses",
          code: "bucketAnswer")
      }
      return .ok("\(answer.body.count) bytes, as written")
    } catch {
      return .failed(error, "nothing can be shared")
    }
  }

  func delete() async -> TierFinding.Outcome {
    do throws(BucketError) {
      try await client.delete(key("object"))
      let answer = try await read("object")
      if answer.status == 404 || answer.status == 403 { return .ok("an object is gone after it") }
      guard answer.isSuccess else { return .failed(answer.error) }
      return .warning("an object can still be read after it", "a damaged record may be read more than once")
    } catch {
      return .failed(error, "damaged records stay, and so does what this check wrote")
    }
  }

  /// Deletes all that may have been written.
  func removeAll() async -> TierFinding.Outcome {
    let (keys, client) = (keys, client)
    let failure = await withTaskGroup(of: BucketError?.self) { group in
      var failure: BucketError?
      for (number, key) in keys.sorted().enumerated() {
        if number >= 8, let error = await group.next() { failure = error ?? failure }
        group.addTask {
          do throws(BucketError) {
            try await client.delete(key)
            return nil
          } catch {
            return error
          }
        }
      }
      for await error in group { failure = error ?? failure }
      return failure
    }
    if let failure { return .failed(failure, "remove what begins with \(folder)") }
    return .ok("\(keys.count) objects removed")
  }
}
