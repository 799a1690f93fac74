import BenchmarkHarness
import Calotype
import CalotypeTestKit
import FoundationEssentials
import Glibc

/// Thumbnails of many large photos at once.
enum LargeOriginals {
  /// Most encoded bytes at a time and their limit; bytes resident at the peak and ten seconds after the end, both beyond
  /// those of an idle process; images that did not come.
  ///
  /// 400 photos from a server, each at a URL of its own, as thumbnails of 320 pixels, at most 64 transfers at a time.
  static func run(_ file: String) async throws -> [Double] {
    let server = try ChildProcess("/proc/self/exe", arguments: ["--load-once", "serve", file])
    let port = try server.read()
    let transport = CurlLoader(CurlLoader.Configuration(maxConcurrent: 64, maxConcurrentPerHost: 64))
    let loader = LoaderGroup([BytesLoader(), HTTPLoader(transport: transport)])
    let requests = (0..<404).compactMap { index in
      URL(string: "http://127.0.0.1:\(port)/photo.jpg?\(index)")
        .map { ImageRequest(url: $0, thumbnail: .fit(width: 320, height: 320)) }
    }
    let figures = await measure(loader, count: 400) { requests[$0] }
    withExtendedLifetime(server) {}
    return figures
  }

  /// The same figures of 100 photos in the hands of their callers, as an upload is. The bytes of the callers count.
  static func runUploads(_ file: String) async throws -> [Double] {
    let data = try Data(contentsOf: URL(filePath: file))
    return await measure(LoaderGroup([BytesLoader()]), count: 100) { index in
      // A copy of its own, as each upload is.
      let copy = data.withUnsafeBytes { Data($0) }
      return ImageRequest(source: .data(copy, id: "\(index)"), thumbnail: .fit(width: 320, height: 320))
    }
  }

  private static func measure(
    _ loader: LoaderGroup, count: Int, _ request: @escaping @Sendable (Int) -> ImageRequest
  ) async -> [Double] {
    let pipeline = ImagePipeline(.init(loader: loader, memoryCache: nil, diskCache: nil))
    // A process that has been at work, and has nothing to do: its stacks, tables and libraries are there.
    for index in 0..<4 { _ = try? await pipeline.image(for: request(count + index)) }
    try? await Task.sleep(for: .seconds(5))
    let before = LoadFigures.residentBytes
    let watch = PeakWatch()
    let failed = await withTaskGroup(of: Bool.self) { group in
      for index in 0..<count {
        group.addTask { (try? await pipeline.image(for: request(index)))?.width != 320 }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    let peak = watch.bytes
    let statistics = await OneImage.statistics(of: pipeline)
    try? await Task.sleep(for: .seconds(10))
    return [
      Double(statistics.peakHeldBytes), Double(ImagePipeline.Memory.defaultByteLimit),
      Double(peak - before), Double(LoadFigures.residentBytes - before), Double(failed),
    ]
  }

  /// What the server does: prints its port, and serves the photo until standard input ends.
  static func serve(_ file: String) async throws -> [Double] {
    let data = try Data(contentsOf: URL(filePath: file))
    let server = try ScriptedHTTPServer()
    server.route("/photo.jpg", .body(data))
    print(server.port)
    fflush(nil)
    withExtendedLifetime(server) {
      while readLine() != nil {}
    }
    exit(0)
  }
}
