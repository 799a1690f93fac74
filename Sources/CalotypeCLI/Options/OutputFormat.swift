import ArgumentParser
import Calotype

/// The format of a file to write: raw pixels, or a format that has a registered encoder.
struct OutputFormat: Hashable, ExpressibleByArgument {
  /// `nil` for raw pixels.
  let imageFormat: ImageFormat?

  /// Straight RGBA, 8 bits a sample, rows from top to bottom, without a header.
  static let rgba = OutputFormat(imageFormat: nil)

  /// All formats that can be written, raw pixels last.
  static let all = CoderRegistry.standard.encodableFormats.map { OutputFormat($0) } + [.rgba]
  /// Their names, as help and errors tell them.
  static let list = all.map(\.name).joined(separator: ", ")
  static let allValueStrings = all.map(\.name)

  private init(imageFormat: ImageFormat?) { self.imageFormat = imageFormat }

  /// A format of the library, whether or not there is an encoder for it.
  init(_ format: ImageFormat) { imageFormat = format }

  /// The format of a name, such as `jpeg`, or of a file name extension, such as `jpg`.
  init?(argument: String) {
    let name = argument.lowercased()
    let formats = Self.all
    guard
      let format = formats.first(where: { $0.name == name })
        ?? formats.first(where: { $0.fileExtension == name })
    else { return nil }
    self = format
  }

  /// The format that the extension of a file name asks for; `nil` for an extension of no encoder.
  init?(fileName: String) {
    guard let dot = fileName.lastIndex(of: ".") else { return nil }
    self.init(argument: String(fileName[fileName.index(after: dot)...]))
  }

  var name: String { imageFormat?.rawValue ?? "rgba" }
  var fileExtension: String { imageFormat?.fileExtension ?? "rgba" }

  /// Whether all frames of an animation fit into one file.
  var holdsAnimations: Bool { imageFormat.map { [.gif, .webp, .apng].contains($0) } ?? false }
}
