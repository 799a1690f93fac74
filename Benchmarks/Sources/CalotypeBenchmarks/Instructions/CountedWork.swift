import ArgumentParser
import Calotype
import CalotypeCaching
import CalotypeImaging
import CalotypeTestKit
import Dispatch
import FoundationEssentials

/// A piece of work whose instructions are counted, by the difference of two runs that do it more or less often.
struct CountedWork {
  let name: String
  /// Prepares the work, and returns it.
  private let prepare: () throws -> () throws -> Void

  /// Does a piece of work a number of times.
  ///
  /// - Throws: `ValidationError` when there is none of that name.
  static func run(_ name: String, times: Int) throws {
    guard let work = all.first(where: { $0.name == name }) else {
      throw ValidationError("there is no work \(name): see --list-work")
    }
    let body = try work.prepare()
    for _ in 0..<times { try body() }
  }

  static var all: [CountedWork] {
    [
      decode("decode-jpeg", .jpeg(quality: 80)), decode("decode-png", .png),
      decode("decode-webp", .webp(quality: 75)), decode("decode-gif", .gif),
      encode("encode-jpeg", .jpeg(quality: 80)), encode("encode-png", .png),
      encode("encode-gif", .gif, width: 80, height: 60),
      CountedWork(name: "thumbnail-jpeg") {
        let data = try SampleImages.still(.jpeg(quality: 80), width: 640, height: 480)
        let options = DecodeOptions(thumbnail: Thumbnail(box: PixelSize(width: 80, height: 60), mode: .fit))
        return { _ = try CoderRegistry.standard.decode(data, options: options) }
      },
      CountedWork(name: "resize") {
        let bitmap = try SampleImages.bitmap(width: 640, height: 480)
        return { _ = try bitmap.resampled(to: PixelSize(width: 160, height: 120), filter: .lanczos3) }
      },
      CountedWork(name: "request-key") {
        let url = URL(string: "https://images.example.com/photos/2024/08/summer/album/image.jpeg?w=512")
        return {
          for _ in 0..<100 {
            if let url { _ = ImageRequest(url: url, thumbnail: .fit(width: 320, height: 240)).key }
          }
        }
      },
      memoryHit,
    ]
  }

  private static func decode(_ name: String, _ options: EncodeOptions) -> CountedWork {
    CountedWork(name: name) {
      let data = try SampleImages.still(options, width: 320, height: 240)
      return { _ = try CoderRegistry.standard.decode(data) }
    }
  }

  private static func encode(
    _ name: String, _ options: EncodeOptions, width: Int = 320, height: Int = 240
  ) -> CountedWork {
    CountedWork(name: name) {
      let image = Image(bitmap: try SampleImages.bitmap(width: width, height: height))
      return { _ = try CoderRegistry.standard.encode(image, as: options) }
    }
  }

  /// Hits of the memory cache through a pipeline, in one task: so many that starts of threads do not count.
  private static var memoryHit: CountedWork {
    CountedWork(name: "memory-hit") {
      let pipeline = ImagePipeline(urls: .trusted) {
        ($0.memoryCache, $0.diskCache) = (MemoryCache(byteLimit: 1 << 20), nil)
      }
      guard let url = URL(string: "https://images.example.com/photos/2024/08/summer/album/image.jpeg") else {
        return {}
      }
      let request = ImageRequest(url: url)
      let image = Image(bitmap: try SampleImages.bitmap(width: 4, height: 4))
      pipeline.configuration.memoryCache?.store(CachedImage(image), for: request.key, cost: 1)
      return {
        let done = DispatchSemaphore(value: 0)
        Task {
          for _ in 0..<20_000 { _ = try? await pipeline.image(for: request) }
          done.signal()
        }
        done.wait()
      }
    }
  }
}
