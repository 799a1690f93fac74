import ArgumentParser
import Calotype
import FoundationEssentials

/// Makes thumbnails, placeholders and facts of the images of a folder.
struct EntryMaker: Sendable {
  /// The page; files are written into a folder beside it.
  let page: URL
  /// Whether thumbnails become data URLs.
  let isInline: Bool
  /// The box of a thumbnail in CSS pixels.
  private let box = PixelSize(width: 240, height: 180)
  private let pipeline = ImagePipeline(urls: .trusted)

  init(page: URL, isInline: Bool) {
    (self.page, self.isInline) = (page, isInline)
  }

  /// Returns the entries of all images, by name, and a line for each image that failed.
  func entries(of folder: URL) async throws -> (entries: [SheetEntry], failures: [String]) {
    let formats = Set(CoderRegistry.standard.decodableFormats.map(\.fileExtension)).union(["jpeg"])
    guard let all = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
      throw ValidationError("\(folder.path) is not a folder that can be read")
    }
    let names = all.sorted().filter {
      !$0.hasPrefix(".") && formats.contains(folder.appending(path: $0).pathExtension.lowercased())
    }
    // A task for each image only waits: the pipeline decodes as many at a time as there are processors.
    let results = await withTaskGroup(of: (Int, Result<SheetEntry, any Error>).self) { group in
      for (index, name) in names.enumerated() {
        group.addTask {
          do {
            return (index, .success(try await entry(of: folder.appending(path: name))))
          } catch {
            return (index, .failure(error))
          }
        }
      }
      return await group.reduce(into: [Int: Result<SheetEntry, any Error>]()) { $0[$1.0] = $1.1 }
    }
    var (entries, failures): ([SheetEntry], [String]) = ([], [])
    for (index, name) in names.enumerated() {
      switch results[index] {
      case .success(let entry)?: entries.append(entry)
      case .failure(let error)?: failures.append("\(name): \(error)")
      case nil: break
      }
    }
    return (entries, failures)
  }

  private func entry(of file: URL) async throws -> SheetEntry {
    let info = try await pipeline.info(for: file).info
    func request(_ scale: Int) -> ImageRequest {
      ImageRequest(url: file, thumbnail: .fit(width: scale * box.width, height: scale * box.height))
    }
    let image = try await pipeline.image(for: request(1))
    let once = try await pipeline.encoded(request(1), as: .webp(quality: 80))
    let twice = try await pipeline.encoded(request(2), as: .webp(quality: 60))

    let summary = try await pipeline.summary(of: image)
    let placeholder = try await placeholder(of: image, summary: summary)

    let name = file.lastPathComponent
    let bytes = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? any BinaryInteger
    var facts = [info.format.description, info.size.description]
    if info.frameCount > 1 { facts.append("\(info.frameCount) frames") }
    if let bytes { facts.append("\((Int(bytes) + 500) / 1000) KB") }
    return SheetEntry(
      name: name, box: image.size, source: try await place(once, as: "\(name).webp"),
      doubleSource: try await place(twice, as: "\(name)@2x.webp"),
      placeholder: placeholder, facts: facts)
  }

  /// Returns the CSS background of a picture until it is there; `nil` for a transparent one, which it would shine through.
  private func placeholder(of image: Image, summary: ImageSummary) async throws -> String? {
    if summary.hasTransparency { return nil }
    // 32 pixels are plenty for a blur: the browser enlarges them smoothly.
    let blur = try await pipeline.compute {
      let height = max(1, 32 * image.height / image.width)
      return try BlurHash(summary.blurHash).bitmap(size: PixelSize(width: 32, height: height))
    }
    let webp = try await pipeline.encode(Image(bitmap: blur), as: .webp(quality: 40))
    return "#\(summary.averageColor.hex) url(\(Self.dataURL(webp, type: "image/webp"))) 0 0/100% 100%"
  }

  /// Writes a thumbnail beside the page unless it is to be inline.
  ///
  /// - Returns: Its URL in the page.
  private func place(_ image: EncodedImage, as name: String) async throws -> String {
    if isInline { return Self.dataURL(image.data, type: image.contentType) }
    let folder = page.deletingPathExtension().lastPathComponent + "-files"
    let path = page.deletingLastPathComponent().appending(path: folder)
    try await pipeline.compute {
      try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
      try image.write(to: path.appending(path: name))
    }
    return "\(Self.percentEncoded(folder))/\(Self.percentEncoded(name))"
  }

  private static func dataURL(_ data: Data, type: String) -> String {
    "data:\(type);base64,\(data.base64EncodedString())"
  }

  /// Everything but letters, digits and `-._~` as %XX (RFC 3986 §2.3): also spaces and commas, which end a URL of `srcset`.
  private static func percentEncoded(_ name: String) -> String {
    name.utf8.map { byte in
      let scalar = Unicode.Scalar(byte)
      if byte < 0x80, scalar.properties.isAlphabetic || "0123456789-._~".unicodeScalars.contains(scalar) {
        return String(scalar)
      }
      return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    .joined()
  }
}
