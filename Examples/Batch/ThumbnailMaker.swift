import ArgumentParser
import Calotype
import FoundationEssentials

/// Makes thumbnails of many files, a few at a time.
struct ThumbnailMaker: Sendable {
  /// An image to be made smaller.
  struct File: Sendable {
    let url: URL
    let byteCount: Int
  }

  /// The end of one image.
  struct Outcome: Sendable {
    let file: File
    /// The thumbnail, or the error.
    let result: Result<EncodedImage, any Error>
  }

  /// The folder for the thumbnails.
  let output: URL
  let size: Box
  let quality: Int
  /// Without caches: every image is needed once.
  private let pipeline = ImagePipeline(urls: .trusted) { $0.caches = ImagePipeline.Caches() }

  init(output: URL, size: Box, quality: Int) {
    (self.output, self.size, self.quality) = (output, size, quality)
  }

  /// Returns the files of a folder that are called like images, by name.
  func images(in folder: URL) throws -> [File] {
    let names = Set(CoderRegistry.standard.decodableFormats.map(\.fileExtension)).union(["jpeg"])
    guard let entries = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
      throw ValidationError("\(folder.path) is not a folder that can be read")
    }
    return entries.sorted().compactMap { name in
      let url = folder.appending(path: name)
      guard !name.hasPrefix("."), names.contains(url.pathExtension.lowercased()) else { return nil }
      let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
      return File(url: url, byteCount: (attributes?[.size] as? any BinaryInteger).map { Int($0) } ?? 0)
    }
  }

  /// Makes all thumbnails, and tells each as soon as it is there. Returns early when the task is cancelled.
  func makeAll(_ files: [File], concurrency: Int, report: (Outcome) -> Void) async {
    await withTaskGroup(of: Outcome.self) { group in
      var waiting = files.makeIterator()
      // A group holds all tasks that it was given: each one that ends makes room for the next.
      for _ in 0..<concurrency {
        if let file = waiting.next() { group.addTask { await outcome(of: file) } }
      }
      for await outcome in group {
        if case .failure(is CancellationError) = outcome.result { continue }
        report(outcome)
        if !Task.isCancelled, let file = waiting.next() {
          group.addTask { await self.outcome(of: file) }
        }
      }
    }
  }

  private func outcome(of file: File) async -> Outcome {
    do {
      return Outcome(file: file, result: .success(try await make(file)))
    } catch {
      return Outcome(file: file, result: .failure(error))
    }
  }

  /// Loads, shrinks and encodes one image, on the threads of the pipeline. Photographs are shrunk while they are decoded.
  private func make(_ file: File) async throws -> EncodedImage {
    let request = ImageRequest(url: file.url, thumbnail: .fit(width: size.width, height: size.height))
    let thumbnail = try await pipeline.encoded(request, as: .webp(quality: quality))
    // `a.jpg` and `a.png` must not meet in one `a.webp`.
    let target = output.appending(path: file.url.lastPathComponent + ".webp")
    try await pipeline.compute {
      try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
      try thumbnail.write(to: target)
    }
    return thumbnail
  }
}
