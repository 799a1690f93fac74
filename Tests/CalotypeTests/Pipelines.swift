import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials

@testable import Calotype

/// What the tests of the pipeline share: sample bytes, and pipelines over caches of their own.
enum Samples {
  /// One attempt, and no memory of what failed: tests change what a server answers.
  static let loader = LoaderGroup.standard.adding(CurlLoader.shared)

  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func fixture(_ path: String) -> URL { root.appending(path: "Tests/Fixtures/Corpus/\(path)") }

  static func photo(_ name: String) throws -> Data {
    try Data(contentsOf: root.appending(path: "Examples/Photos/\(name)"))
  }

  /// 1731×1151 pixels.
  static let stream = try? photo("stream.jpg")

  /// A small PNG of one colour.
  static func png(width: Int = 8, height: Int = 8, shade: UInt8 = 128) throws -> Data {
    let bitmap = try Bitmap(size: PixelSize(width: width, height: height)) { pixels throws(ImagingError) in
      for index in pixels.indices { pixels[index] = index % 4 == 3 ? 255 : shade }
      return true
    }
    return try Image(bitmap: bitmap).encoded(as: .png)
  }
}

/// A disk cache folder that is removed with its owner.
final class CacheFolder: Sendable {
  let url: URL

  init() throws {
    url = URL(filePath: ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp")
      .appending(path: "calotype-tests-\(UInt64.random(in: 0 ... .max))", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Waits for longer than a busy machine holds a thread up.
  var configuration: DiskCache.Configuration {
    DiskCache.Configuration(folder: url, storeTimeout: .seconds(60), readTimeout: .seconds(60))
  }

  func diskCache() -> DiskCache { DiskCache(configuration) }
}

extension ImagePipeline {
  /// A pipeline that shares nothing with any other.
  static func isolated(
    memory: Bool = true, disk: DiskCache? = nil, loader: any ImageLoading = Samples.loader
  ) -> ImagePipeline {
    ImagePipeline(
      .init(loader: loader, memoryCache: memory ? MemoryCache(byteLimit: 256 << 20) : nil, diskCache: disk))
  }

  /// Its jobs.
  nonisolated var jobs: JobRegistry { context.jobs }

  /// Places in the jobs that make images.
  var subscribers: Int { jobs.images.all.reduce(0) { $0 + $1.subscriberCount } }

  /// Waits until every job has wound up, stores included.
  func settle() async {
    while true {
      if jobs.isEmpty, jobs.isIdle { return }
      await flush()
      // The tasks of jobs that have ended have yet to end.
      await Task.yield()
    }
  }
}

/// What the server serves now.
final class Shade: Sendable {
  private let state = Lock(UInt8(1))

  var value: UInt8 {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

extension ScriptedReply {
  /// A body that is fresh for a while.
  static func resource(_ data: Data) -> ScriptedReply {
    .body(data, headers: [("Cache-Control", "max-age=100")])
  }
}
