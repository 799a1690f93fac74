import CalotypeImaging
import CalotypeLoading
import CalotypeSettings
import FoundationEssentials
import HTTPTypes
import Synchronization

@testable import CalotypeServing

/// An origin whose picture, freshness and failures tests change, and which counts.
final class TestOrigin: Sendable {
  struct State: Sendable {
    var loads = 0
    var color: UInt8 = 10
    var age = 60
    var status = 200
    /// Fields beside the usual ones.
    var fields: HTTPFields = [:]
    /// The body in place of a picture.
    var body: Data?
    /// Whether loads wait, until this is false.
    var isHeld = false
    /// The answers to single paths, in place of all of the above.
    var others: [String: Other] = [:]
    /// The number of loads by path.
    var counts: [String: Int] = [:]
    /// The fields of the last request.
    var request: HTTPFields = [:]
  }

  /// The answer to a single path.
  struct Other: Sendable {
    var body: Data
    var status = 200
    var fields: HTTPFields = [.cacheControl: "max-age=60"]
  }

  let state = Mutex(State())

  var loads: Int { state.withLock(\.loads) }

  /// The number of loads of a path.
  func loads(of path: String) -> Int { state.withLock { $0.counts[path] ?? 0 } }

  /// A picture of one colour.
  static func picture(_ color: UInt8, _ width: Int = 20, _ height: Int = 20) throws -> Data {
    let pixels = [UInt8](repeating: color, count: width * height * 3)
    return try CoderRegistry.standard.encode(
      Image(bitmap: Bitmap(rgb: pixels, width: width, height: height)), as: .png)
  }

  var loader: ClosureLoader {
    ClosureLoader(accepts: { $0.url != nil }) { [self] request in
      let path = request.source.url?.path() ?? ""
      let now = state.withLock { state in
        state.loads += 1
        state.counts[path, default: 0] += 1
        state.request = request.headers
        return state
      }
      try await until { !state.withLock(\.isHeld) }
      let url = request.source.url ?? URL(filePath: "/")
      if let other = now.others[path] {
        guard other.status == 200 else {
          throw LoadingError.httpStatus(url, status: other.status, headers: [:])
        }
        return LoadResponse(
          url: url, status: 200, headers: other.fields, expectedLength: other.body.count,
          contentType: "image/png", body: LoadBody([other.body]))
      }
      var fields: HTTPFields = [.cacheControl: "max-age=\(now.age)", .eTag: "\"\(now.color)\""]
      for field in now.fields { fields[field.name] = field.value }
      if let tag = request.headers[.ifNoneMatch], tag == fields[.eTag] {
        return LoadResponse(url: url, status: 304, headers: fields, body: LoadBody([]))
      }
      guard now.status == 200 else {
        throw LoadingError.httpStatus(url, status: now.status, headers: [:])
      }
      let pixels = [UInt8](repeating: now.color, count: 80 * 60 * 3)
      let bitmap = try Bitmap(rgb: pixels, width: 80, height: 60)
      let data = try now.body ?? CoderRegistry.standard.encode(Image(bitmap: bitmap), as: .png)
      return LoadResponse(
        url: url, status: 200, headers: fields, expectedLength: data.count, contentType: "image/png",
        body: LoadBody([data]))
    }
  }

  /// A server that reads its sources here.
  func server(
    now: TestTime? = nil, patience: Duration? = nil, _ change: (inout Settings) -> Void = { _ in }
  ) async throws -> ImageServer {
    var settings = Settings()
    settings.security.allowsUnsigned = true
    // However busy the machine is.
    settings.server.timeout = .seconds(600)
    settings.server.downloadTimeout = .seconds(600)
    settings.concurrency.queueTime = .zero
    change(&settings)
    let parts = try await ServerParts(
      settings, loader: loader, tiers: SharedTiers(settings, patience: patience))
    guard let now else { return try ImageServer(settings, parts: parts, canaryLimit: .seconds(60)) }
    return try ImageServer(settings, parts: parts, now: { now.date })
  }
}

/// A time that tests set.
final class TestTime: Sendable {
  let seconds = Mutex(1_767_225_600.0)
  var date: Date { Date(timeIntervalSince1970: seconds.withLock(\.self)) }
  func advance(_ interval: Double) { seconds.withLock { $0 += interval } }
}

extension ImageServer {
  /// Returns the response to a request.
  func response(
    to method: HTTPRequest.Method = .get, _ path: String, _ fields: HTTPFields = [:]
  ) async -> ServedResponse {
    let request = HTTPRequest(
      method: method, scheme: "http", authority: "server", path: path, headerFields: fields)
    switch answer(to: request) {
    case .ready(let response): return response
    case .pending(let work): return await work()
    }
  }
}

/// Waits for a condition.
func until(_ condition: () -> Bool) async throws {
  while !condition() { try await Task.sleep(for: .milliseconds(1)) }
}
