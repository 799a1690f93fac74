public import ArgumentParser
public import Calotype
import FoundationEssentials

extension CaseIterable where Self: RawRepresentable<String> {
  fileprivate static func named(_ name: String) -> Self? { allCases.first { kebab($0.rawValue) == name } }
}

private func kebab(_ name: String) -> String {
  name.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
}

extension ImageRequest.CachePolicy: ExpressibleByArgument {
  /// As they are written on the command line.
  public static var allValueStrings: [String] { allCases.map { kebab($0.rawValue) } }

  /// `http`, `use-age` …
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
  /// The formats that have a registered decoder.
  public static var allValueStrings: [String] { CoderRegistry.standard.decodableFormats.map(\.rawValue) }

  /// The name of a format that can be read.
  public init?(argument: String) {
    let formats = CoderRegistry.standard.decodableFormats
    guard let format = formats.first(where: { $0.rawValue == argument.lowercased() }) else { return nil }
    self = format
  }
}
