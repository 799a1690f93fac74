import BenchmarkHarness
import CTurboJPEG
import CalotypeImaging
import FoundationEssentials
import Glibc

extension Benchmark {
  /// JPEG against the library it is made with, driven by TurboJPEG's own interface into a buffer that is kept; and
  /// pictures that arrive in pieces against those that are there.
  static var jpeg: [Benchmark] {
    let photos = [("baseline 12 MP", "dandelion.jpg"), ("progressive 5 MP", "mountains.jpg")]
    var benchmarks: [Benchmark] = []
    for (name, file) in photos { benchmarks.append(decode(name, file)) }
    for (name, file) in photos {
      for count in [1, 997, 65_536] {
        let name = "jpeg/arriving by \(count)/\(name)"
        benchmarks.append(arriving(name, by: count, JPEGDecoder()) { try photo(file) })
      }
    }
    for effort in [EncodeOptions.Effort.fast, .balanced] { benchmarks.append(encode(effort)) }
    return benchmarks + [smallEncode]
  }

  private static func decode(_ name: String, _ file: String) -> Benchmark {
    Benchmark(name: "jpeg/decode/\(name)", bar: .ratio(1.05)) { rounds in
      let data = try photo(file)
      let library = try TurboDecoder(data)
      return try Measurement.ratio(
        "jpeg/decode/\(name)", to: "tjDecompress2", rounds: rounds
      ) { () throws in
        _ = try JPEGDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
      } limit: {
        try library.decode()
      }
    }
  }

  private static func encode(_ effort: EncodeOptions.Effort) -> Benchmark {
    let title = "jpeg/encode/\(effort.rawValue) 12 MP"
    return Benchmark(name: title, bar: .ratio(1.05)) { rounds in
      let data = try photo("dandelion.jpg")
      let image = try JPEGDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
      var options = EncodeOptions.jpeg(quality: 82)
      options.effort = effort
      let library = try TurboEncoder(image.bitmap.size)
      // The only way to ask the library for optimised tables without progressive scans.
      setenv("TJ_OPTIMIZE", effort == .fast ? "0" : "1", 1)
      return try Measurement.ratio(title, to: "tjCompress2", rounds: rounds) { () throws in
        _ = try JPEGEncoder().encode(image, options: options)
      } limit: {
        try library.encode(image.bitmap, quality: 82)
      }
    }
  }

  /// Trellis and scans beside those of mozjpeg.
  private static var smallEncode: Benchmark {
    let title = "jpeg/encode/small 12 MP"
    return Benchmark(name: title, bar: .ratio(0.5)) { rounds in
      let path = Peers.photos.appending(path: "dandelion.jpg").path
      let image = try JPEGDecoder().decode(
        try photo("dandelion.jpg"), minimumSize: nil, options: DecodeOptions())
      var options = EncodeOptions.jpeg(quality: 82)
      options.effort = .small
      return try encode(title, beside: "pyvips jpegsave, mozjpeg", "mozjpeg", on: path, rounds: rounds) {
        try JPEGEncoder().encode(image, options: options).count
      }
    }
  }

  static func photo(_ name: String) throws -> Data {
    try Data(contentsOf: Peers.photos.appending(path: name))
  }
}

private struct TurboError: Error, CustomStringConvertible {
  var description: String
  init(_ handle: tjhandle?) { description = String(cString: tjGetErrorStr2(handle)) }
}

/// `tjDecompress2` of one file into one buffer.
private final class TurboDecoder {
  private let handle: tjhandle
  private let data: [UInt8]
  private let pixels: UnsafeMutableRawBufferPointer
  private let width: Int32
  private let height: Int32

  init(_ data: Data) throws {
    guard let handle = tjInitDecompress() else { throw TurboError(nil) }
    self.handle = handle
    self.data = [UInt8](data)
    var size: (width: Int32, height: Int32) = (0, 0)
    var subsampling: Int32 = 0
    var space: Int32 = 0
    let status = tjDecompressHeader3(
      handle, self.data, UInt(data.count), &size.width, &size.height, &subsampling, &space)
    (width, height) = size
    pixels = .allocate(byteCount: Int(width) * Int(height) * 4, alignment: 64)
    guard status == 0 else { throw TurboError(handle) }
  }

  deinit {
    tjDestroy(handle)
    pixels.deallocate()
  }

  func decode() throws {
    let status = data.withUnsafeBufferPointer {
      tjDecompress2(
        handle, $0.baseAddress, UInt($0.count), pixels.baseAddress?.assumingMemoryBound(to: UInt8.self),
        width, 0, height, Int32(TJPF_RGBA.rawValue), 0)
    }
    guard status == 0 else { throw TurboError(handle) }
  }
}

/// `tjCompress2` into one buffer that is large enough for anything.
private final class TurboEncoder {
  private let handle: tjhandle
  private var bytes: UnsafeMutablePointer<UInt8>?

  init(_ size: PixelSize) throws {
    guard let handle = tjInitCompress() else { throw TurboError(nil) }
    self.handle = handle
    bytes = tjAlloc(Int32(tjBufSize(Int32(size.width), Int32(size.height), Int32(TJSAMP_420.rawValue))))
  }

  deinit {
    tjDestroy(handle)
    tjFree(bytes)
  }

  func encode(_ bitmap: Bitmap, quality: Int32) throws {
    var count = tjBufSize(Int32(bitmap.width), Int32(bitmap.height), Int32(TJSAMP_420.rawValue))
    let flags = TJFLAG_NOREALLOC | TJFLAG_ACCURATEDCT
    let status = bitmap.withUnsafeBytes { pixels in
      tjCompress2(
        handle, pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(bitmap.width), 0,
        Int32(bitmap.height), Int32(TJPF_RGBX.rawValue), &bytes, &count, Int32(TJSAMP_420.rawValue), quality,
        Int32(flags))
    }
    guard status == 0 else { throw TurboError(handle) }
  }
}
