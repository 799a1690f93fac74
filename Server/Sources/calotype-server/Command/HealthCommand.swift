import CalotypeSettings
import FoundationEssentials
import Glibc

/// `calotype-server health`: asks the server with the same settings whether it is well. For containers without other tools.
enum HealthCommand {
  /// The time for the connection and for each read.
  private static let patience = 3
  /// Most bytes of an answer that are read.
  private static let maxBytes = 4096

  /// Returns the status of the process: 0 for 200, 1 for all else, 2 for settings that cannot be read.
  static func run(_ inputs: SettingsInputs) -> Int32 {
    var inputs = inputs
    let asksReady = inputs.arguments.contains("--ready")
    inputs.arguments.removeAll { $0 == "--ready" }
    // Whether there are keys is no question of health.
    inputs.arguments.append("--allow-unsigned")
    let settings: Settings
    do {
      settings = try SettingsLoader.load(inputs).settings
    } catch {
      for problem in error.problems where problem.severity == .error {
        ServerCommand.complain("error: \(problem)")
      }
      return 2
    }
    let path = settings.server.pathPrefix + (asksReady ? "/ready" : "/health")
    guard let socket = connection(to: settings.server.bind) else {
      ServerCommand.complain(
        "no server listens at \(settings.server.bind.map { "\($0)" } ?? "the address of the settings") (BIND)"
      )
      return 1
    }
    defer { close(socket) }
    let answer = answer(to: "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", socket)
    let line = answer.prefix { $0 != "\r" }
    guard line.hasPrefix("HTTP/1.1 200") else {
      ServerCommand.complain(line.isEmpty ? "no answer" : "not well: \(line)")
      return 1
    }
    return 0
  }

  private static func connection(to bind: BindAddress?) -> Int32? {
    switch bind ?? .port(host: "", 8080) {
    case .socket(let path): unixConnection(path)
    case .port(let host, let port):
      // Of the addresses that stand for all, the server listens at this one, too.
      networkConnection(
        ["", "0.0.0.0"].contains(host) ? "127.0.0.1" : ["::", "[::]"].contains(host) ? "::1" : host,
        String(port))
    }
  }

  private static func networkConnection(_ host: String, _ port: String) -> Int32? {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    let literal = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    guard getaddrinfo(literal, port, &hints, &first) == 0 else { return nil }
    defer { freeaddrinfo(first) }
    var next = first
    while let address = next?.pointee {
      if let socket = connected(address.ai_family, address.ai_addr, address.ai_addrlen) { return socket }
      next = address.ai_next
    }
    return nil
  }

  private static func unixConnection(_ path: String) -> Int32? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connected(AF_UNIX, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  private static func connected(
    _ family: Int32, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t
  ) -> Int32? {
    let socket = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return nil }
    var limit = timeval(tv_sec: patience, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    // Of connections, too.
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    guard connect(socket, address, length) == 0 else {
      close(socket)
      return nil
    }
    return socket
  }

  private static func answer(to request: String, _ socket: Int32) -> String {
    var rest = Array(request.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return "" }
      rest = rest.dropFirst(count)
    }
    var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: maxBytes))
    while bytes.count < maxBytes, !bytes.contains(UInt8(ascii: "\r")) {
      let count = recv(socket, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
