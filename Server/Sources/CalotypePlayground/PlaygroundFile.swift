public import FoundationEssentials

/// A file of the playground. The files are part of the program, so that it needs no folder beside it.
public enum PlaygroundFile: String, Hashable, Sendable, CaseIterable {
  /// The page.
  case page = ""
  /// Its style.
  case style = "playground.css"
  /// Its script.
  case script = "playground.js"

  /// The bytes.
  public var data: Data {
    switch self {
    case .page: Data(PackageResources.playground_html)
    case .style: Data(PackageResources.playground_css)
    case .script: Data(PackageResources.playground_js)
    }
  }

  /// The media type.
  public var mediaType: String {
    switch self {
    case .page: "text/html; charset=utf-8"
    case .style: "text/css; charset=utf-8"
    case .script: "text/javascript; charset=utf-8"
    }
  }

  /// The policy of the page: its own files, pictures that the script makes, and requests to the server it comes from.
  public static let contentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
