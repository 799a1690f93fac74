import CalotypeLoading
import CalotypeTestKit
import Foundation
import HTTPTypes
import Testing

@testable import CalotypeTiers

/// Objects of a bucket as sources of images.
@Suite("s3 URLs")
struct BucketLoaderTests {
  private let server: ScriptedBucket
  private let time = ManualTime()

  init() throws {
    let time = time
    server = try ScriptedBucket(now: { time.date })
  }

  private func loader(
    _ change: (inout BucketLoader.Configuration) -> Void = { _ in }, secretKey: String? = nil
  ) throws -> BucketLoader {
    var configuration = BucketLoader.Configuration(endpoint: server.endpoint, region: server.region)
    configuration.connections.proxy = .none
    change(&configuration)
    let keys = try BucketKeys(accessKey: server.accessKey, secretKey: secretKey ?? server.secretKey)
    let time = time
    return try BucketLoader(configuration, credentials: .keys(keys), now: { time.date })
  }

  /// Returns the status of a refusal, and how a request failed otherwise.
  private func failure(_ loader: BucketLoader, _ text: String) async -> String {
    guard let url = URL(string: text) else { return "no URL" }
    do {
      _ = try await loader.data(for: LoadRequest(url: url))
      return "loaded"
    } catch let error as LoadingError {
      guard case .httpStatus(let named, let status, _, _) = error else { return error.code }
      return named == url ? "\(status)" : "\(status) of \(named)"
    } catch {
      return "\(error)"
    }
  }

  @Test(
    "keys of all characters are signed and loaded",
    arguments: [
      ("a.jpg", "a.jpg"), ("2026/cat%20in%20a%20box.jpg", "2026/cat in a box.jpg"),
      ("%C3%BC+%2B=*'()!@:,;&$", "ü++=*'()!@:,;&$"), ("100%25.png", "100%.png"), ("a//b", "a//b"),
    ])
  func keys(path: String, key: String) async throws {
    let bytes = Data("object of \(key)".utf8)
    server[key] = bytes
    let url = try #require(URL(string: "s3://\(server.name)/\(path)"))
    let (data, response) = try await loader().data(for: LoadRequest(url: url))
    #expect(data == bytes, "\(server.counters)")
    #expect(response.url == url && response.status == 200 && response.headers[.eTag] != nil)
    #expect(server.counters.refusals.isEmpty)
  }

  @Test("a version that the caller has is confirmed")
  func confirmed() async throws {
    server["a.png"] = Data("image".utf8)
    let url = try #require(URL(string: "s3://\(server.name)/a.png"))
    let loader = try loader()
    let first = try await loader.data(for: LoadRequest(url: url)).1
    var again = LoadRequest(url: url)
    again.validators = first.validators
    again.validators?.url = url
    #expect(try await loader.data(for: again).1.isNotModified)
  }

  @Test("a version of an object is a part of the signature")
  func version() async throws {
    server["a.png"] = Data("image".utf8)
    let loader = try loader()
    #expect(await failure(loader, "s3://\(server.name)/a.png?versionId=3%2F4+5") == "loaded")
    #expect(server.server.requests.last?.query?.contains("versionId=3%2F4%2B5") == true)
    #expect(await failure(loader, "s3://\(server.name)/a.png?acl") == "invalidURL")
    #expect(await failure(loader, "s3://\(server.name)/a.png?versionId=3&acl") == "invalidURL")
  }

  @Test("a clock that is wrong is learned from a refusal; wrong keys are refused once")
  func refusals() async throws {
    server["a.png"] = Data("image".utf8)
    server.setClockOffset(3_600)
    let loader = try loader()
    for _ in 0..<3 { #expect(await failure(loader, "s3://\(server.name)/a.png") == "loaded") }
    #expect(server.counters.refusals == ["RequestTimeTooSkewed": 1])
    server.setClockOffset(0)
    let stranger = try self.loader(secretKey: "another-secret")
    #expect(await failure(stranger, "s3://\(server.name)/a.png") == "403")
    #expect(server.counters.refusals["SignatureDoesNotMatch"] == 1)
    #expect(await failure(loader, "s3://\(server.name)/none.png") == "404")
  }

  @Test("buckets that may not be read, and URLs without an object, are refused without a request")
  func refused() async throws {
    let few = try loader {
      $0.allowedBuckets = ["images", "other"]
      $0.deniedBuckets = ["other"]
    }
    #expect(await failure(few, "s3://other/a.png") == "addressRefused")
    #expect(await failure(few, "s3://foreign/a.png") == "addressRefused")
    #expect(await failure(few, "s3://images/") == "invalidURL")
    #expect(await failure(few, "s3:///a.png") == "invalidURL")
    for key in ["../a.png", "a/./b.png", "a/.."] {
      #expect(await failure(few, "s3://images/\(key)") == "invalidURL")
    }
    #expect(await failure(few, "http://images/a.png") == "unsupportedScheme")
    #expect(server.counters.requests.isEmpty)
    // The roots are a part of the keys of caches.
    #expect(try few.identity != loader().identity)
    #expect(few.identity.contains(server.secretKey) == false)
  }

  @Test("a bucket with keys of its own")
  func ownKeys() async throws {
    server["a.png"] = Data("image".utf8)
    let keys = try BucketKeys(accessKey: server.accessKey, secretKey: server.secretKey)
    let loader = try loader({ $0.credentials[server.name] = .keys(keys) }, secretKey: "another-secret")
    #expect(await failure(loader, "s3://\(server.name)/a.png") == "loaded")
  }
}
