import ArgumentParser
import Calotype

/// A setting of one encoder, such as `loss=30`.
struct SettingArgument: ExpressibleByArgument {
  let name: String
  let value: String

  init?(argument: String) {
    guard let mark = argument.firstIndex(of: "=") else { return nil }
    name = String(argument[..<mark])
    value = String(argument[argument.index(after: mark)...])
  }

  /// The names of the settings of each format that has any.
  static let names: KeyValuePairs<ImageFormat, [String]> = [
    .gif: GIFSetting.allCases.map(\.rawValue), .webp: WebPSetting.allCases.map(\.rawValue),
    .avif: ["depth"], .ico: ["sizes"], .qoi: ["channels"],
  ]

  /// Returns the names of the settings of a format.
  static func names(for format: ImageFormat) -> [String] { names.first { $0.key == format }?.value ?? [] }
}
