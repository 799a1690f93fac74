import CalotypeSupport
import FoundationEssentials

/// The access control of a ``ScriptedHTTPServer``: the server's side of Digest authentication (RFC 7616, MD5 with `qop=auth`).
///
/// ```swift
/// let authority = DigestAuthority(user: "ann", password: "secret")
/// server.route("/a.png") { authority.admits($0) ? .body(bytes) : authority.challenge }
/// ```
public struct DigestAuthority: Sendable {
  private let user: String
  private let password: String
  private let realm = "calotype"
  private let nonce = "0a4f113b"

  /// An authority that knows one user.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }

  /// The answer to requests without valid credentials.
  public var challenge: ScriptedReply {
    .status(
      401, headers: [("WWW-Authenticate", "Digest realm=\"\(realm)\", nonce=\"\(nonce)\", qop=\"auth\"")])
  }

  /// Whether the request comes from the user.
  public func admits(_ request: ScriptedRequest) -> Bool {
    guard let field = request[header: "Authorization"], field.hasPrefix("Digest ") else { return false }
    var values: [String: String] = [:]
    for part in field.dropFirst(7).split(separator: ",") {
      let words = part.split(separator: "=", maxSplits: 1)
      guard words.count == 2 else { return false }
      let name = words[0].filter { $0 != " " }
      values[name] = words[1].filter { $0 != "\"" && $0 != " " }
    }
    guard values["username"] == user, values["nonce"] == nonce, let uri = values["uri"],
      let count = values["nc"],
      let cnonce = values["cnonce"], values["qop"] == "auth"
    else { return false }
    let secret = Self.md5("\(user):\(realm):\(password)")
    let request = Self.md5("\(request.method):\(uri)")
    return values["response"] == Self.md5("\(secret):\(nonce):\(count):\(cnonce):auth:\(request)")
  }

  private static func md5(_ text: String) -> String {
    var digest = MessageDigest(.md5)
    digest.update(text)
    return Hex.encode(digest.finalize())
  }
}
