import CalotypeLoading
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Synchronization
import Testing

/// The policy at work: what is connected to, not what a URL says.
@Suite("Refused addresses", .timeLimit(.minutes(1)))
struct AddressRefusalTests {
  let server: ScriptedHTTPServer
  let loader = curlLoader { $0.addressPolicy = .public }

  init() throws {
    server = try ScriptedHTTPServer()
    server.route("/a", .body(Data([1])))
  }

  private func refusal(_ text: String, _ loader: CurlLoader? = nil) async throws -> String? {
    let url = try #require(URL(string: text))
    let error = await loadingError {
      _ = try await (loader ?? self.loader).data(
        for: LoadRequest(url: url, timeouts: LoadRequest.Timeouts(connect: .seconds(2))))
    }
    guard let error, case .addressRefused(let refused, let reason) = error else {
      Issue.record("\(text): \(String(describing: error))")
      return nil
    }
    #expect(refused == url)
    // Whoever named the URL learns nothing of the network that it was asked in.
    #expect(error.description == LoadingError.addressRefused(url, reason: "").description)
    #expect(!error.isRetryable)
    return reason
  }

  /// All ways to write addresses of this machine and its network that some parser takes.
  @Test(
    arguments: [
      "http://127.0.0.1:PORT/a", "http://127.0.0.2:PORT/a", "http://127.1:PORT/a", "http://127.0.1:PORT/a",
      "http://2130706433:PORT/a", "http://0x7f000001:PORT/a", "http://0x7f.1:PORT/a",
      "http://0177.0.0.1:PORT/a",
      "http://017700000001:PORT/a", "http://0177.0x0.0.1:PORT/a", "http://127.0.0.1.:PORT/a",
      "http://localhost:PORT/a", "http://LOCALHOST:PORT/a", "http://localhost.:PORT/a",
      "http://a.localhost:PORT/a",
      "http://0.0.0.0:PORT/a", "http://0:PORT/a", "http://[::1]:PORT/a", "http://[::]:PORT/a",
      "http://[0:0:0:0:0:0:0:1]:PORT/a", "http://[::ffff:127.0.0.1]:PORT/a", "http://[::ffff:7f00:1]:PORT/a",
      "http://[::127.0.0.1]:PORT/a", "http://[64:ff9b::7f00:1]:PORT/a", "http://[2002:7f00:1::]:PORT/a",
      "http://[2001:0:7f00:1::1]:PORT/a", "http://[fe80::1]:PORT/a", "http://[fe80::1%25lo]:PORT/a",
      "http://[fc00::1]:PORT/a", "http://[fd00:ec2::254]:PORT/a", "http://[ff02::1]:PORT/a",
      "http://[fe80::5efe:7f00:1]:PORT/a", "http://[2001:db8::1]:PORT/a",
      "http://10.0.0.1/a", "http://172.16.0.1/a", "http://172.31.255.255/a", "http://192.168.0.1/a",
      "http://100.64.0.1/a", "http://169.254.169.254/latest/meta-data/", "http://192.0.0.1/a",
      "http://198.18.0.1/a",
      "http://224.0.0.1/a", "http://240.0.0.1/a", "http://255.255.255.255/a",
      "http://user@127.0.0.1:PORT/a", "http://example.org@127.0.0.1:PORT/a",
      "http://127.0.0.1:PORT@127.0.0.1:PORT/a",
      "HTTP://127.0.0.1:PORT/a", "https://127.0.0.1:PORT/a", "http://127.0.0.1:PORT/a#example.org",
      "http://127.0.0.1:PORT/a?http://example.org/", "http://%31%32%37.0.0.1:PORT/a",
      "http://127%2e0.0.1:PORT/a",
    ])
  func spellings(text: String) async throws {
    let reason = try await refusal(text.replacing("PORT", with: "\(server.port)"))
    #expect(reason?.isEmpty == false)
    #expect(server.connectionCount == 0)
  }

  /// Names that turn out to have such an address: what DNS says, whenever it says it.
  @Test(arguments: [
    "127.0.0.1", "10.1.2.3", "169.254.169.254", "192.168.1.1", "100.64.0.1", "0.0.0.0", "::1", "fd00::1",
    "fe80::1", "::ffff:127.0.0.1", "64:ff9b::a00:1", "2002:a00:1::1",
  ])
  func namesOfPrivateAddresses(address text: String) async throws {
    let address = try #require(IPAddress(text))
    let loader = curlLoader {
      $0.addressPolicy = .public
      $0.hostAddresses = ["innocent.example": [address]]
    }
    let reason = try await refusal("http://innocent.example:\(server.port)/a", loader)
    #expect(reason?.contains(text == "::ffff:127.0.0.1" ? "127.0.0.1" : text) == true)
    #expect(server.connectionCount == 0)
    #expect(loader.statistics.connectionsOpened == 0)
  }

  /// By the system's resolver: this machine's own name has an address of this machine.
  @Test func namesOfThisMachine() async throws {
    var name = [CChar](repeating: 0, count: 256)
    #expect(gethostname(&name, 255) == 0)
    let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let url = try #require(URL(string: "http://\(host):\(server.port)/a"))
    let error = await loadingError { _ = try await loader.data(for: LoadRequest(url: url)) }
    #expect(["addressRefused", "hostNotFound"].contains(error?.code))
    #expect(server.connectionCount == 0)
  }

  private var trusting: CurlLoader {
    get throws {
      let range = try #require(IPAddress.Block("127.0.0.1"))
      let (inside, local) = (try #require(IPAddress("10.0.0.1")), try #require(IPAddress("127.0.0.1")))
      return curlLoader {
        $0.addressPolicy = .public.allowing(range)
        $0.hostAddresses = ["inside.example": [inside], "outside.example": [local]]
      }
    }
  }

  @Test func groupsForUntrustedURLsTakeExceptionsAndATransport() async throws {
    let local = try #require(IPAddress("127.0.0.1"))
    var curl = CurlLoader.Configuration()
    // Replaced: a transport cannot open what the group closes.
    curl.addressPolicy = .any
    curl.hostAddresses = ["images.internal": [local]]
    let request = LoadRequest(url: server.url("/a", host: "images.internal"))
    let closed = LoaderGroup.forUntrustedURLs(transport: curl)
    #expect(await loadingError { _ = try await closed.data(for: request) }?.code == "addressRefused")
    curl.addressPolicy = .public.allowing(host: "images.internal")
    let open = LoaderGroup.forUntrustedURLs(transport: curl)
    #expect(try await open.data(for: request).0 == Data([1]))
  }

  @Test func exceptionsAreNamed() async throws {
    #expect(try await trusting.data(for: LoadRequest(url: server.url("/a"))).0 == Data([1]))
    let local = try #require(IPAddress("127.0.0.1"))
    let byName = curlLoader {
      $0.addressPolicy = .public.allowing(host: "images.internal")
      $0.hostAddresses = ["images.internal": [local], "other.internal": [local]]
    }
    let url = server.url("/a", host: "images.internal")
    #expect(try await byName.data(for: LoadRequest(url: url)).0 == Data([1]))
    // The connection is there, but it was opened for somebody else.
    #expect(
      try await refusal("http://other.internal:\(server.port)/a", byName)?.contains("127.0.0.1") == true)
    #expect(try await refusal(server.url("/a").absoluteString, byName) != nil)
    #expect(server.requests.count == 2)
  }

  @Test(arguments: [
    "http://127.0.0.2:PORT/a", "//127.0.0.2:PORT/a", "http://2130706433:PORT/a",
    "http://0x7f.1:PORT/a", "http://inside.example/a", "http://169.254.169.254/latest/meta-data/iam/",
    "http://[::1]:PORT/a", "http://[::ffff:127.0.0.2]:PORT/a", "http://127.1:PORT/a",
    "http://127.0.0.1.:PORT/a",
    "HTTP://10.0.0.1/", "/\\127.0.0.2/a", "http:\\\\127.0.0.2:PORT\\a", "http:///127.0.0.2:PORT/a",
  ])
  func redirects(location: String) async throws {
    let location = location.replacing("PORT", with: "\(server.port)")
    server.route("/out", .redirect(to: location))
    server.route("/first", .redirect(to: "/out"))
    let loader = try trusting
    let error = await loadingError {
      _ = try await loader.data(for: LoadRequest(url: server.url("/first")))
    }
    // What no parser takes for another host ends on the server that was allowed.
    #expect(
      ["addressRefused", "redirectRefused", "httpStatus"].contains(error?.code),
      "\(String(describing: error))")
    #expect(server.requests.allSatisfy { $0.path != "/a" })
    if location.contains("//"), !location.contains("///") { #expect(error?.code == "addressRefused") }
  }

  @Test func redirectsAreAskedForBeforeTheyAreFollowed() async throws {
    server.route("/target", .body(Data([1])))
    server.route("/first", .redirect(to: "/target?1"))
    let asked = Mutex<[String]>([])
    for isAllowed in [true, false] {
      let loader = curlLoader {
        $0.allowsRedirect = { url in
          asked.withLock { $0.append(url.absoluteString) }
          return isAllowed
        }
      }
      let request = LoadRequest(url: server.url("/first"))
      if isAllowed {
        #expect(try await loader.data(for: request).0 == Data([1]))
      } else {
        #expect(await loadingError { _ = try await loader.data(for: request) }?.code == "redirectRefused")
      }
    }
    let target = server.url("/target?1").absoluteString
    #expect(asked.withLock { $0 } == [target, target])
    #expect(server.requests.filter { $0.path.hasPrefix("/target") }.count == 1)
  }

  @Test func redirectsWithinWhatIsAllowed() async throws {
    server.route("/out", .redirect(to: "http://outside.example:\(server.port)/a"))
    #expect(try await trusting.data(for: LoadRequest(url: server.url("/out"))).0 == Data([1]))
  }

  @Test func proxiesAreNoWayAround() async throws {
    let proxy = try ScriptedHTTPServer()
    let url = try #require(URL(string: "http://127.0.0.1:\(proxy.port)"))
    let explicit = curlLoader {
      $0.addressPolicy = .public
      $0.proxy = .url(url)
    }
    #expect(try await refusal("http://example.org/a", explicit)?.contains("proxy") == true)
    #expect(proxy.connectionCount == 0)
  }

  @Test func trustedProxiesAreUsed() async throws {
    let proxy = try ScriptedHTTPServer()
    // A proxy gets the whole URL.
    proxy.route("http://example.org/a", .body(Data([7])))
    let url = try #require(URL(string: "http://ann:secret@127.0.0.1:\(proxy.port)"))
    let loader = curlLoader {
      $0.addressPolicy = .public.trustingProxy()
      $0.proxy = .url(url)
    }
    let target = try #require(URL(string: "http://example.org/a"))
    #expect(try await loader.data(for: LoadRequest(url: target)).0 == Data([7]))
    #expect(proxy.requests.first?[header: "Proxy-Authorization"] == "Basic YW5uOnNlY3JldA==")
    #expect(try await refusal("http://10.0.0.1/a", loader) != nil)
  }
}
