/// An address at which a server listens: a TCP port, or a socket in the file system.
public enum BindAddress: Hashable, Sendable, CustomStringConvertible {
  /// A host, empty for all addresses of the machine, and a port, 0 for any free one.
  case port(host: String, UInt16)
  /// The path of a Unix domain socket.
  case socket(path: String)

  /// Reads `:8080`, `127.0.0.1:8080`, `[::1]:8080`, `name:8080` or the path of a socket, which has a slash.
  ///
  /// Returns `nil` for all other texts, and for paths of more than 107 bytes, which the kernel refuses.
  public init?(_ text: String) {
    let bytes = text.utf8
    guard !bytes.isEmpty, bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
    if bytes.contains(UInt8(ascii: "/")) {
      guard bytes.count <= 107, bytes.last != UInt8(ascii: "/") else { return nil }
      self = .socket(path: text)
      return
    }
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits)
    else { return nil }
    var host = text[..<colon]
    if host.utf8.first == UInt8(ascii: "[") {
      guard host.utf8.last == UInt8(ascii: "]") else { return nil }
      host = host.dropFirst().dropLast()
      guard NetworkRange(String(host)) != nil, host.contains(":") else { return nil }
    } else if host.contains(":") {
      return nil
    }
    self = .port(host: String(host), port)
  }

  /// Whether only programs of the same machine reach the address.
  public var isLocal: Bool {
    switch self {
    case .socket: true
    case .port("localhost", _): true
    case .port(let host, _): NetworkRange(host)?.isLoopback ?? false
    }
  }

  /// The text that ``init(_:)`` reads.
  public var description: String {
    switch self {
    case .socket(let path): path
    case .port(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
  }
}
