import ArgumentParser
import Calotype
import CalotypeSupport
import FoundationEssentials

/// A transform as written on the command line, parsed once.
struct TransformArgument: ExpressibleByArgument {
  /// Errors are reported once all options are parsed.
  let parsed: Result<ImageTransform, ImagingError>

  init?(argument: String) {
    parsed = Result { () throws(ImagingError) in
      try ImageTransform(parsing: argument, loadingImages: Self.loadOverlay)
    }
  }

  /// Reads and decodes the image of an overlay. A digest of the file stands for its pixels.
  private static func loadOverlay(_ path: String) throws(ImagingError) -> (image: Bitmap, id: String) {
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw .invalidParameter(name: "overlay", reason: "\(path) cannot be read; name an image file")
    }
    let digest = data.withUnsafeBytes { Hex.encode(MessageDigest.sha256($0)) }
    return (try CoderRegistry.standard.decode(data).bitmap, digest)
  }
}
