import CalotypeLoading
import CalotypeTestKit
import FoundationEssentials
import Testing

@Suite("Real servers", .timeLimit(.minutes(2)))
struct RealServerTests {
  static let hasNginx = LocalServer.path(of: "nginx") != nil
  static let hasHTTP2 = LocalServer.path(of: "nghttpd") != nil && LocalServer.path(of: "openssl") != nil

  private func nginx() throws -> LocalServer {
    let folder = try LocalServer.makeFolder()
    let port = try LocalServer.freePort()
    let configuration = """
      daemon off; master_process off; worker_processes 1; pid \(folder.path)/pid; error_log \(folder.path)/log;
      events { worker_connections 256; }
      http {
        access_log off; client_body_temp_path \(folder.path)/t1; proxy_temp_path \(folder.path)/t2;
        fastcgi_temp_path \(folder.path)/t3; uwsgi_temp_path \(folder.path)/t4; scgi_temp_path \(folder.path)/t5;
        types { image/png png; }
        server { listen 127.0.0.1:\(port); root \(folder.path); location /moved/ { return 301 /files/; } }
      }
      """
    try Data(configuration.utf8).write(to: folder.appending(path: "nginx.conf"))
    let binary = try #require(LocalServer.path(of: "nginx"))
    return try LocalServer(
      [binary, "-p", folder.path, "-c", folder.appending(path: "nginx.conf").path], folder: folder, port: port
    )
  }

  @Test(.enabled(if: hasNginx, "nginx is not installed (package nginx-light)"))
  func nginxFiles() async throws {
    let server = try nginx()
    let sizes = [1, 50_000, 3 << 20]
    for (index, size) in sizes.enumerated() {
      try pattern(size).write(to: server.folder.appending(path: "\(index).png"))
    }
    let loader = CurlLoader(CurlLoader.Configuration(maxConcurrent: 16))
    let base = "http://127.0.0.1:\(server.port)"
    try await withThrowingTaskGroup(of: Void.self) { group in
      for round in 0..<300 {
        let index = round % (round % 10 == 0 ? 3 : 2)
        group.addTask {
          let url = try #require(URL(string: "\(base)/\(index).png"))
          let (data, response) = try await loader.data(for: LoadRequest(url: url))
          #expect(data == pattern(sizes[index]))
          #expect(response.contentType == "image/png")
        }
      }
      try await group.waitForAll()
    }
    #expect(loader.statistics.connectionsOpened <= 16)

    let url = try #require(URL(string: "\(base)/1.png"))
    let (_, first) = try await loader.data(for: LoadRequest(url: url))
    var conditional = LoadRequest(url: url)
    conditional.headers[.ifNoneMatch] = first.headers[.eTag]
    #expect(try await loader.data(for: conditional).1.status == 304)
    var range = LoadRequest(url: url)
    range.headers[.range] = "bytes=10-19"
    let (part, partial) = try await loader.data(for: range)
    #expect(partial.status == 206)
    #expect(part == pattern(50_000)[10..<20])
    let missing = try #require(URL(string: "\(base)/none.png"))
    #expect(
      await loadingError { _ = try await loader.data(for: LoadRequest(url: missing)) }?.code == "httpStatus")
  }

  /// nghttpd with a certificate of its own; also the path of that certificate.
  private func http2() throws -> (server: LocalServer, caFile: String) {
    let folder = try LocalServer.makeFolder()
    let key = folder.appending(path: "key.pem").path
    let certificate = folder.appending(path: "cert.pem").path
    let openssl = try #require(LocalServer.path(of: "openssl"))
    #expect(
      try LocalServer.run([
        openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-days",
        "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key,
        "-out", certificate,
      ]))
    let port = try LocalServer.freePort()
    let nghttpd = try #require(LocalServer.path(of: "nghttpd"))
    let server = try LocalServer(
      [nghttpd, "-a", "127.0.0.1", "-d", folder.path, "\(port)", key, certificate], folder: folder, port: port
    )
    return (server, certificate)
  }

  @Test(.enabled(if: hasHTTP2, "nghttpd or openssl is not installed (packages nghttp2-server, openssl)"))
  func http2SharesOneConnection() async throws {
    let (server, caFile) = try http2()
    let bytes = pattern(50_000)
    try bytes.write(to: server.folder.appending(path: "a.png"))
    let loader = curlLoader {
      $0.maxConcurrent = 32
      $0.maxConcurrentPerHost = 32
      $0.tls.caFile = caFile
    }
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/a.png"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<500 {
        group.addTask {
          let (data, _) = try await loader.data(for: LoadRequest(url: url))
          #expect(data == bytes)
        }
      }
      try await group.waitForAll()
    }
    #expect(loader.statistics.connectionsOpened == 1)
  }

  @Test(.enabled(if: hasHTTP2, "nghttpd or openssl is not installed (packages nghttp2-server, openssl)"))
  func http2SlowConsumersDoNotBlockOthers() async throws {
    let (server, caFile) = try http2()
    let bytes = pattern(8 << 20)
    try bytes.write(to: server.folder.appending(path: "big.png"))
    try Data([7]).write(to: server.folder.appending(path: "small.png"))
    let loader = curlLoader {
      $0.highWater = 128 << 10
      $0.tls.caFile = caFile
    }
    let big = try #require(URL(string: "https://127.0.0.1:\(server.port)/big.png"))
    let small = try #require(URL(string: "https://127.0.0.1:\(server.port)/small.png"))
    let slow = try await loader.load(LoadRequest(url: big))
    while loader.statistics.pauses == 0 { await loader.settle() }
    // A stream that is left is reset; the connection and the other streams live on.
    let left = try await loader.load(LoadRequest(url: big))
    for try await _ in left.body { break }
    #expect(try await loader.data(for: LoadRequest(url: small)).0 == Data([7]))
    var data = Data()
    for try await chunk in slow.body { data.append(chunk) }
    #expect(data == bytes)
    #expect(loader.statistics.connectionsOpened == 1)
    #expect(loader.statistics.peakBufferedBytes <= 128 << 10)
  }

  @Test(.enabled(if: hasHTTP2, "nghttpd or openssl is not installed (packages nghttp2-server, openssl)"))
  func untrustedCertificate() async throws {
    let (server, _) = try http2()
    try Data([7]).write(to: server.folder.appending(path: "a.png"))
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/a.png"))
    let error = await loadingError { _ = try await CurlLoader().data(for: LoadRequest(url: url)) }
    #expect(error?.code == "tls")
    #expect(error?.isRetryable == false)
  }

  /// nginx that wants to see a certificate of ours, over HTTP/2.
  @Test(
    .enabled(if: hasNginx && hasHTTP2, "nginx or openssl is not installed (packages nginx-light, openssl)"))
  func clientCertificates() async throws {
    let folder = try LocalServer.makeFolder()
    let port = try LocalServer.freePort()
    let plain = try ScriptedHTTPServer()
    plain.route("/a", .body(Data([1])))
    let openssl = try #require(LocalServer.path(of: "openssl"))
    func path(_ name: String) -> String { folder.appending(path: name).path }
    for name in ["server", "client"] {
      #expect(
        try LocalServer.run(
          [
            openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-days",
            "2",
            "-subj", "/CN=\(name)", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", path("\(name).key"),
            "-out",
            path("\(name).pem"), "-passout", "pass:hidden",
          ] + (name == "server" ? ["-nodes"] : [])))
    }
    let configuration = """
      daemon off; master_process off; worker_processes 1; pid \(folder.path)/pid; error_log \(folder.path)/log;
      events { worker_connections 256; }
      http {
        access_log off; client_body_temp_path \(folder.path)/t1; proxy_temp_path \(folder.path)/t2;
        fastcgi_temp_path \(folder.path)/t3; uwsgi_temp_path \(folder.path)/t4; scgi_temp_path \(folder.path)/t5;
        server {
          listen 127.0.0.1:\(port) ssl http2; root \(folder.path);
          ssl_certificate \(path("server.pem")); ssl_certificate_key \(path("server.key"));
          ssl_client_certificate \(path("client.pem")); ssl_verify_client on;
          location /plain/ { return 301 http://127.0.0.1:\(plain.port)/a; }
        }
      }
      """
    try Data(configuration.utf8).write(to: folder.appending(path: "nginx.conf"))
    let binary = try #require(LocalServer.path(of: "nginx"))
    let server = try LocalServer(
      [binary, "-p", folder.path, "-c", path("nginx.conf")], folder: folder, port: port)
    try Data([7]).write(to: server.folder.appending(path: "a.png"))
    let url = try #require(URL(string: "https://127.0.0.1:\(port)/a.png"))
    let known = curlLoader {
      $0.tls = .init(
        caFile: path("server.pem"), certificateFile: path("client.pem"), keyFile: path("client.key"),
        keyPassword: "hidden")
    }
    let (data, response) = try await known.data(for: LoadRequest(url: url))
    #expect(data == Data([7]))
    #expect(response.metrics?.networkProtocol == "h2")
    #expect(response.metrics.map { $0.tls > .zero } == true)
    // From https to http nobody is led unless that is wanted.
    let down = try #require(URL(string: "https://127.0.0.1:\(port)/plain/"))
    #expect(
      await loadingError { _ = try await known.data(for: LoadRequest(url: down)) }?.code == "redirectRefused")
    #expect(plain.connectionCount == 0)
    let lenient = curlLoader {
      $0.tls = known.configuration.tls
      $0.allowsInsecureRedirects = true
    }
    #expect(try await lenient.data(for: LoadRequest(url: down)).0 == Data([1]))
    let unknown = curlLoader { $0.tls.caFile = path("server.pem") }
    let error = await loadingError { _ = try await unknown.data(for: LoadRequest(url: url)) }
    // With TLS 1.3 the server says no only after the handshake.
    #expect(["tls", "httpStatus"].contains(error?.code))
    let wrong = curlLoader {
      $0.tls = .init(caFile: path("server.pem"), certificateFile: path("none.pem"))
    }
    #expect(await loadingError { _ = try await wrong.data(for: LoadRequest(url: url)) }?.code == "tls")
    let careless = curlLoader { $0.tls.verifiesServer = false }
    #expect(
      await loadingError { _ = try await careless.data(for: LoadRequest(url: url)) }?.code == "httpStatus")
  }
}
