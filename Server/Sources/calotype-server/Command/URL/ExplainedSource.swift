import CalotypeImaging
import FoundationEssentials

/// The source that a plan is explained for: its header, and the number of its bytes if it is a file.
struct ExplainedSource: Sendable {
  private static let maxBytes = 256 << 20

  let info: ImageInfo
  let byteCount: Int?

  /// Reads `4000x3000:jpeg`.
  init(text: String) throws(URLUsageError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let sides = parts[0].split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    let format = parts.count == 2 ? ImageFormat(rawValue: parts[1] == "jpg" ? "jpeg" : String(parts[1])) : nil
    guard sides.count == 2, sides.allSatisfy({ (1...Int(Int32.max)).contains($0) }), let format,
      format.mimeType != nil
    else { throw URLUsageError("\(text) is no header; write it as 4000x3000:jpeg") }
    info = ImageInfo(format: format, size: PixelSize(width: sides[0], height: sides[1]))
    byteCount = nil
  }

  /// Reads the header of a file.
  init(file: String) throws(URLUsageError) {
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      guard let size = attributes[.size] as? any BinaryInteger, Int(clamping: size) <= Self.maxBytes else {
        throw URLUsageError("\(file) has more than \(Self.maxBytes) bytes; give --info instead")
      }
      let data = try Data(contentsOf: URL(filePath: file))
      info = try CoderRegistry.standard.probe(data)
      byteCount = data.count
    } catch let error as URLUsageError {
      throw error
    } catch let error as ImagingError {
      throw URLUsageError("\(file): \(error)")
    } catch {
      throw URLUsageError("\(file) cannot be read; check its path and mode")
    }
  }
}
