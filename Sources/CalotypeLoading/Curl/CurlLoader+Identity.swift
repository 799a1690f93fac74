import CalotypeSupport
import FoundationEssentials
import HTTPTypes

extension CurlLoader.Configuration {
  /// Everything that affects the delivered bytes, as text: secrets as digests, defaults left out.
  var identity: String {
    LoaderIdentity.text([
      "addresses": addressPolicy.identity, "credentials": Self.digest(credentialParts),
      "headers": headers == Self.defaultHeaders ? "" : Self.digest(headerParts),
      "cookies": cookies == .memory ? UUID().uuidString : "",
      "tls": tls == TLS() ? "" : Self.digest(tlsParts),
      "insecure redirects": allowsInsecureRedirects ? "1" : "",
      "hosts": Self.digest(hostParts), "proxy": Self.digest(proxyParts),
    ])
  }

  private static func digest(_ parts: [String]) -> String {
    parts.isEmpty ? "" : LoaderIdentity.digest(LoaderIdentity.text(parts))
  }

  private var credentialParts: [String] {
    credentials.map { "\($0.key) \($0.value.digest)" }.sorted()
  }

  /// The order of fields with different names has no meaning.
  private var headerParts: [String] {
    let fields = headers.enumerated().sorted {
      ($0.element.name.canonicalName, $0.offset) < ($1.element.name.canonicalName, $1.offset)
    }
    return ["headers"] + fields.flatMap { [$0.element.name.canonicalName, $0.element.value] }
  }

  private var tlsParts: [String] {
    [
      tls.caFile ?? "", tls.certificateFile ?? "", tls.keyFile ?? "", tls.keyPassword ?? "",
      tls.verifiesServer ? "verified" : "unverified",
    ]
  }

  /// The environment is the same for all loaders of a process.
  private var proxyParts: [String] {
    if case .url(let url) = proxy { [url.absoluteString] } else { [] }
  }

  private var hostParts: [String] {
    hostAddresses.map { "\($0.key) \($0.value.map(\.description).joined(separator: ","))" }.sorted()
  }
}
