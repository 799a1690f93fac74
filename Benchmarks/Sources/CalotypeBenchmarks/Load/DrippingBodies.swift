import BenchmarkHarness
import Calotype
import CalotypeTestKit
import FoundationEssentials

/// A photo that is at hand while many others arrive a few bytes at a time.
enum DrippingBodies {
  /// The median of milliseconds until an ordinary photo is decoded, while so many bodies of large photos drip; 20 seconds
  /// for one that does not come.
  static func run(_ file: String, bodies: Int) async throws -> [Double] {
    let data = try Data(contentsOf: URL(filePath: file))
    let photo = try SampleImages.progressiveJPEG(width: 1600, height: 1200)
    let dripping = ClosureLoader(accepts: { $0.url != nil }) { request in
      LoadResponse(
        url: request.source.url ?? URL(filePath: "/"), status: 200, expectedLength: data.count,
        body: LoadBody(Drops(data)))
    }
    let loader = LoaderGroup([BytesLoader(), dripping])
    let pipeline = ImagePipeline(.init(loader: loader, memoryCache: nil, diskCache: nil))
    let callers = (0..<bodies).compactMap { URL(string: "http://host/\($0)") }.map { url in
      Task {
        try await pipeline.image(for: ImageRequest(url: url, thumbnail: .fit(width: 2000, height: 2000)))
      }
    }
    // Long enough for each to have its first bytes looked at.
    if bodies > 0 { try await Task.sleep(for: .seconds(3)) }
    var latencies: [Duration] = []
    for index in 0..<5 {
      latencies.append(
        await LoadFigures.time(atMost: .seconds(20)) {
          _ = try await pipeline.image(for: ImageRequest(source: .data(photo, id: "\(index)")))
        })
    }
    for caller in callers { caller.cancel() }
    return [LoadFigures.median(latencies)]
  }
}

/// The first 64 KiB of a body at once, and then 100 bytes each second.
private actor Drops: LoadBody.Producing {
  private let data: Data
  private var offset = 0

  init(_ data: Data) {
    self.data = data
  }

  func next() async throws -> Data? {
    if offset > 0 { try await Task.sleep(for: .seconds(1)) }
    guard offset < data.count else { return nil }
    let end = min(data.count, offset == 0 ? 64 << 10 : offset + 100)
    defer { offset = end }
    return data.subdata(in: offset..<end)
  }

  nonisolated func cancel() {}
}
