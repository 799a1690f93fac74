import Calotype
import FoundationEssentials
import Glibc

/// A thumbnail of one image, progress on the way: `swift run Thumbnail https://… out.webp`.
@main
struct ThumbnailExample {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let url = URL(string: arguments[1]) else {
      print("usage: Thumbnail URL OUT.webp")
      exit(64)
    }
    do {
      try await makeThumbnail(of: url, at: URL(filePath: arguments[2]))
    } catch {
      print(error)  // what, where, and what to do
      exit(1)
    }
  }

  static func makeThumbnail(of url: URL, at file: URL) async throws {
    let pipeline = ImagePipeline(urls: .trusted)  // memory and disk cache, libcurl, all codecs
    let request = ImageRequest(url: url, thumbnail: .fit(width: 320, height: 240))

    let load = pipeline.load(request)
    for await progress in load.progress {
      print("\(progress.received) of \(progress.expected.map(String.init) ?? "?") bytes")
    }
    let response = try await load.response
    print("\(response.image.width)×\(response.image.height) from \(response.source)")
    let webp = try await pipeline.encode(response.image, as: .webp(quality: 80))
    try webp.write(to: file)
  }
}
