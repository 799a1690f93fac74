@testable import CalotypeLoading
import FoundationEssentials

/// Reads the bytes as a URL and a redirect from it: what is let through under a policy is read alike by everybody.
enum URLTarget {
  private static let configuration: CurlLoader.Configuration = {
    var configuration = CurlLoader.Configuration()
    configuration.addressPolicy = .public
    return configuration
  }()

  static func run(_ input: FuzzInput) throws {
    let lines = input.bytes.split(separator: 10, maxSplits: 1, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    let text = lines.first ?? ""
    let location = lines.count > 1 ? lines[1] : text
    for text in [text, "http://" + text, "https://example.org" + text] { try parse(text) }
    let request = LoadRequest(url: URL(filePath: "/"), credential: .bearer("secret"))
    for text in [text, "http://" + text] {
      guard let url = URL(string: text), let first = try? HTTPRequestStep(url, for: request, configuration)
      else {
        continue
      }
      try check(first)
      try follow(location, from: first, url: url)
    }
    guard let url = URL(string: "https://example.org:8443/a/b?c"),
      let first = try? HTTPRequestStep(url, for: request, configuration)
    else { return }
    try follow(location, from: first, url: url)
  }

  /// What was put together again is read as the same.
  private static func parse(_ text: String) throws {
    guard let url = try? CurlURL(text) else { return }
    guard let again = try? CurlURL(url.text) else {
      throw FuzzFailure("\(text.debugDescription) became \(url.text.debugDescription), which is no URL")
    }
    try FuzzFailure.unless(
      again.scheme == url.scheme && again.host == url.host && again.port == url.port,
      "\(text.debugDescription): \(url.origin) became \(again.origin)")
    try FuzzFailure.unless(again.user == nil && again.password == nil, "\(url.text) names a user")
  }

  private static func check(_ hop: HTTPRequestStep) throws {
    let url = hop.url
    try FuzzFailure.unless(url.scheme == "http" || url.scheme == "https", "\(url.text) is let through")
    let host = url.host.contains(":") ? "[\(url.host)]" : url.host
    let reason = AddressPolicy.public.refusal(scheme: url.scheme, host: host)
    try FuzzFailure.unless(reason == nil, "\(url.text) is let through: \(reason ?? "")")
    // The other parser of this program.
    if let other = URL(string: url.text)?.host() {
      try FuzzFailure.unless(
        HostText(other).canonical == HostText(url.host).canonical, "\(url.text): \(other) and \(url.host)")
    }
  }

  private static func follow(_ location: String, from first: HTTPRequestStep, url: URL) throws {
    let transfer = (url: url, request: LoadRequest(url: url, credential: .bearer("secret")))
    guard
      let next = try? HTTPRequestStep(
        following: location, from: first, first: first, of: transfer, configuration)
    else { return }
    try check(next)
    try FuzzFailure.unless(
      next.credential == nil || next.url.origin == first.url.origin, "\(next.url.text) learns the credential")
    try FuzzFailure.unless(
      !(first.url.scheme == "https" && next.url.scheme == "http"),
      "\(first.url.text) leads to \(next.url.text)")
  }
}
