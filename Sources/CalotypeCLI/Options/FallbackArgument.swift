import ArgumentParser
import FoundationEssentials

/// An alternative URL of an image on the command line.
struct FallbackArgument: ExpressibleByArgument {
  let url: URL

  init?(argument: String) {
    guard let url = URL(string: argument), ["http", "https"].contains(url.scheme?.lowercased()),
      url.host()?.isEmpty == false
    else { return nil }
    self.url = url
  }
}
