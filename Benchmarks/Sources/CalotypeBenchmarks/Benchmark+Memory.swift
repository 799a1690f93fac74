import BenchmarkHarness
import CalotypeImaging
import FoundationEssentials

extension Benchmark {
  /// What a decode takes at its peak besides the bitmap that it delivers, in a process that does nothing else.
  static var memory: [Benchmark] {
    let photos = [
      ("jpeg baseline 12 MP", "dandelion.jpg"), ("jpeg progressive 5 MP", "mountains.jpg"),
      ("webp lossy 8 MP", "sunset.webp"), ("gif sample", "pan.gif"),
    ]
    let files = [
      ("jpeg progressive 12 MP", "photo-12mp-progressive.jpg"), ("png 12 MP rgb", "camera-12mp.png"),
      ("png 12 MP rgba", "camera-12mp-rgba.png"), ("webp lossless 12 MP", "camera-12mp-lossless.webp"),
      ("gif 12 MP", "photo-12mp.gif"),
    ]
    return photos.map { name, file in memory(name) { Peers.photos.appending(path: file).path } }
      + files.map { name, file in memory(name) { try Peers.file(file) } }
  }

  private static func memory(_ name: String, _ file: @escaping () throws -> String) -> Benchmark {
    Benchmark(name: "memory/\(name)", bar: .mebibytes(4)) {
      try PeakMemory(arguments: ["--decode-once", file()])
    }
  }

  /// What the child of a memory benchmark does: reads a file, and decodes it.
  static func decodeOnce(_ file: String) throws -> PeakMemory {
    let data = try Data(contentsOf: URL(filePath: file))
    return try PeakMemory.measure {
      try CoderRegistry.standard.decode(data).bitmap.byteCount
    }
  }
}
