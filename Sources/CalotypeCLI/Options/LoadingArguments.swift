import ArgumentParser
import Calotype
import FoundationEssentials

/// A header field on the command line, as `Name: value`.
struct HeaderArgument: ExpressibleByArgument {
  let field: HTTPField

  init?(argument: String) {
    guard let colon = argument.firstIndex(of: ":"),
      let name = HTTPField.Name(String(argument[..<colon]))
    else { return nil }
    let value = argument[argument.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
    guard HTTPField.isValidValue(String(value)) else { return nil }
    field = HTTPField(name: name, value: String(value))
  }
}

/// Credentials on the command line, as `name:password`.
struct UserArgument: ExpressibleByArgument {
  /// The value of `Authorization` (RFC 7617).
  let authorization: String

  init?(argument: String) {
    guard argument.contains(":"), !argument.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
      return nil
    }
    authorization = "Basic " + Data(argument.utf8).base64EncodedString()
  }
}

/// The address of a proxy on the command line.
struct ProxyArgument: ExpressibleByArgument {
  let url: URL

  static let schemes = ["http", "https", "socks4", "socks5", "socks5h"]

  init?(argument: String) {
    guard let url = URL(string: argument), let scheme = url.scheme?.lowercased(),
      Self.schemes.contains(scheme),
      url.host()?.isEmpty == false
    else { return nil }
    self.url = url
  }
}
