public import ArgumentParser
public import Calotype
import FoundationEssentials

extension CaseIterable where Self: RawRepresentable<String> {
  fileprivate static func named(_ name: String) -> Self? { allCases.first { kebab($0.rawValue) == name } }
}

/// Returns the name in lowercase with a hyphen before each word; an acronym is one word: `ignoreHTTPFreshness` becomes
/// `ignore-http-freshness`.
private func kebab(_ name: String) -> String {
  let letters = Array(name)
  return letters.indices.reduce(into: "") { text, index in
    let startsWord =
      index > 0 && letters[index].isUppercase
      && (letters[index - 1].isLowercase || (index + 1 < letters.count && letters[index + 1].isLowercase))
    text += (startsWord ? "-" : "") + letters[index].lowercased()
  }
}

extension ImageRequest.CachePolicy: ExpressibleByArgument {
  /// As they are written on the command line.
  public static var allValueStrings: [String] { allCases.map { kebab($0.rawValue) } }

  /// `http`, `ignore-http-freshness` …
  public init?(argument: String) {
    guard let value = Self.named(argument) else { return nil }
    self = value
  }
}

extension ImageResponse.Kind: ExpressibleByArgument {}

extension ImageRequest.Priority: ExpressibleByArgument {
  /// As they are written on the command line.
  public static var allValueStrings: [String] { allCases.map { kebab("\($0)") } }

  /// `very-low`, `low` …
  public init?(argument: String) {
    guard let value = Self.allCases.first(where: { kebab("\($0)") == argument }) else { return nil }
    self = value
  }
}

extension ImageFormat: ExpressibleByArgument {
  /// The formats that have a decoder, in this process or in a sandbox.
  public static var allValueStrings: [String] { CoderRegistry.sandboxed.decodableFormats.map(\.rawValue) }

  /// The name of a format that can be read.
  public init?(argument: String) {
    let formats = CoderRegistry.sandboxed.decodableFormats
    guard let format = formats.first(where: { $0.rawValue == argument.lowercased() }) else { return nil }
    self = format
  }
}
