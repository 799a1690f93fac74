import ArgumentParser
import Calotype

/// The format of a file to write: raw pixels, or a format that has a registered encoder.
struct OutputFormat: Hashable, ExpressibleByArgument {
  /// The image format; `nil` for raw pixels.
  let imageFormat: ImageFormat?

  /// Straight RGBA, 8 bits per sample, rows from top to bottom, without a header.
  static let rgba = OutputFormat(imageFormat: nil)

  /// The smallest of the formats that suit the content.
  static let automatic = OutputFormat(.automatic)

  /// All writable formats, raw pixels and the choice by content last.
  static let all = CoderRegistry.standard.encodableFormats.map { OutputFormat($0) } + [.rgba, .automatic]
  /// The names of the formats, for help and errors.
  static let list = all.map(\.name).joined(separator: ", ")
  static let allValueStrings = all.map(\.name)
  /// The names of the formats that hold animations, for warnings.
  static let animatedList = all.filter { $0.holdsAnimations && $0 != .automatic }.map(\.name).joined(
    separator: ", ")

  /// Returns the reason why a file of this name cannot be written; `nil` if its extension is that of a writable format.
  static func refusal(ofFileName name: String) -> String? {
    guard OutputFormat(fileName: name) == nil else { return nil }
    let isRead = name.lastIndex(of: ".").map { dot in
      let label = name[name.index(after: dot)...].lowercased()
      let read = CoderRegistry.standard.decodableFormats + [.avif, .jxl, .tiff, .heif, .svg]
      return label == "tif" || label == "heic"
        || read.contains { [$0.rawValue, $0.fileExtension].contains(label) }
    }
    return isRead == true
      ? "\(name) has the extension of a format that this build does not write; choose another one: \(list)."
      : "\(name) has no extension of a known format; add --format: \(list)."
  }

  private init(imageFormat: ImageFormat?) { self.imageFormat = imageFormat }

  /// Creates a format of the library, whether or not there is an encoder for it.
  init(_ format: ImageFormat) { imageFormat = format }

  /// Returns the format for a name, such as `jpeg`, or for a file name extension, such as `jpg`.
  init?(argument: String) {
    let name = argument.lowercased()
    let formats = Self.all
    guard
      let format = formats.first(where: { $0.name == name })
        ?? formats.first(where: { $0.fileExtension == name })
    else { return nil }
    self = format
  }

  /// Returns the format for the extension of a file name; `nil` for an extension without an encoder.
  init?(fileName: String) {
    guard let dot = fileName.lastIndex(of: ".") else { return nil }
    self.init(argument: String(fileName[fileName.index(after: dot)...]))
    if self == .automatic { return nil }
  }

  var name: String { imageFormat?.rawValue ?? "rgba" }
  var fileExtension: String { imageFormat?.fileExtension ?? "rgba" }

  /// Returns whether an image has this format already. A still APNG is a PNG.
  func isFormat(of info: ImageInfo) -> Bool {
    imageFormat == info.format || (imageFormat == .apng && info.format == .png)
  }

  /// Whether one file holds all frames of an animation.
  var holdsAnimations: Bool {
    imageFormat.map { [.gif, .webp, .apng, .avif, .jxl, .automatic].contains($0) } ?? false
  }
}
