import CalotypeLoading
import CalotypeTestKit
import FoundationEssentials
import Testing

@Suite("Contents of a partial store")
struct PartialContentsTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "parts-\(UUID().uuidString)")
  private let server: ScriptedHTTPServer
  private let body = Data(repeating: 7, count: 1000)

  init() throws {
    server = try ScriptedHTTPServer()
  }

  private func loader(_ store: PartialStore) -> HTTPLoader {
    var configuration = HTTPLoader.Configuration()
    configuration.retry = .none
    configuration.partials = store
    return HTTPLoader(configuration, transport: CurlLoader())
  }

  @Test("what broke off is counted and deleted, what is not ours is neither")
  func counted() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = PartialStore(folder: folder, minBytes: 1)
    #expect(try await store.contents().count == 0)
    #expect(try await store.removeAll().count == 0)

    server.route("/a") { [body] in .resource(body, etag: "\"1\"", for: $0).cut(after: 600) }
    await #expect(throws: LoadingError.self) {
      _ = try await loader(store).data(for: LoadRequest(url: server.url("/a")))
    }
    let foreign = folder.appending(path: "mine.partial")
    try Data([1]).write(to: foreign)
    let kept = try await store.contents()
    #expect(kept.count == 1 && kept.bytes > 600)
    #expect(try await store.removeAll() == kept)
    #expect(try await store.contents().count == 0)
    #expect(FileManager.default.fileExists(atPath: foreign.path))
  }

  @Test("a part in use is counted, and stays")
  func inUse() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = PartialStore(folder: folder, minBytes: 1)
    let gate = Gate()
    server.route("/a") { [body] request in
      var reply = ScriptedReply.resource(body, etag: "\"1\"", for: request)
      reply.steps.insert(.wait(gate), at: reply.steps.count - 1)
      return reply
    }
    let response = try await loader(store).load(LoadRequest(url: server.url("/a")))
    #expect(try await store.contents().count == 1)
    #expect(try await store.removeAll().count == 0)
    gate.open()
    var received = Data()
    for try await chunk in response.body { received += chunk }
    #expect(received == body)
    #expect(try await store.contents().count == 0)
    #expect(store.failures == 0)
  }

  @Test("a folder that is none is told")
  func noFolder() async throws {
    try Data([1]).write(to: folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    await #expect(throws: LoadingError.fileUnreadable(folder, reason: "Not a directory")) {
      try await PartialStore(folder: folder).contents()
    }
  }
}
