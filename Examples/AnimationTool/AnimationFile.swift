import Calotype
import FoundationEssentials

/// Files with animations.
enum AnimationFile {
  /// A file that is not there, or that this user may not read.
  struct Unreadable: Error, CustomStringConvertible {
    let path: String
    var description: String { "\(path) cannot be read" }
  }

  /// Reads the header of a file, and its frames when they are asked for.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - width: The width to which all frames are shrunk, in pixels; `nil` keeps their size.
  static func read(_ path: String, width: Int? = nil) throws -> AnimatedImage {
    guard let data = try? Data(contentsOf: URL(filePath: path), options: .mappedIfSafe) else {
      throw Unreadable(path: path)
    }
    return try AnimatedImage(
      data: data, options: DecodeOptions(thumbnail: width.map { .fit(width: $0) }))
  }

  /// Returns the encoding that a file name asks for. An animated PNG may be called `.png` or `.apng`.
  static func encoding(for path: String, quality: Int) throws(ImagingError) -> EncodeOptions {
    let name = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
    let format = ImageFormat(rawValue: name == "png" ? "apng" : name)
    guard [.gif, .webp, .apng, .avif].contains(format) else {
      throw .invalidParameter(name: "output", reason: "name a .gif, .webp, .png or .avif, not \(path)")
    }
    return EncodeOptions(format: format, quality: quality)
  }
}
