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

  /// Returns the names of the settings of a format.
  static func names(for format: ImageFormat) -> [String] {
    switch format {
    case .webp: WebPSetting.allCases.map(\.rawValue)
    case .gif: GIFSetting.allCases.map(\.rawValue)
    case .avif: ["depth"]
    case .ico: ["sizes"]
    case .qoi: ["channels"]
    default: []
    }
  }

  /// The formats that have settings.
  static let formats: [ImageFormat] = [.gif, .webp, .avif, .ico, .qoi]
}
