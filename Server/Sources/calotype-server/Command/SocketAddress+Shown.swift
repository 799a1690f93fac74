import NIOCore

extension SocketAddress {
  /// The URL of a server at an address, or the path of its socket.
  var shown: String {
    guard let ipAddress, let port else { return pathname ?? "\(self)" }
    return "http://\(ipAddress.contains(":") ? "[\(ipAddress)]" : ipAddress):\(port)"
  }
}
