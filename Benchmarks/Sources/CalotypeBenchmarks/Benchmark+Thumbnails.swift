import BenchmarkHarness
import CJPEG
import CLibWebP
import CalotypeImaging
import FoundationEssentials

extension Benchmark {
  /// From bytes in memory to 320×240 pixels against libvips, as whole processes from file to file, and what a
  /// thumbnail takes at its peak.
  static var thumbnails: [Benchmark] {
    inProcess + besideLibWebP + inLinearLight + wholeProcess + thumbnailMemory
  }

  private static let box = PixelSize(width: 320, height: 240)

  /// Names, files, and the bars of both comparisons.
  private static let pictures: [(name: String, file: String, bar: Double, processBar: Double)] = [
    ("jpeg baseline 12 MP", "photo-12mp.jpg", 0.87, 0.5),
    ("jpeg progressive 12 MP", "photo-12mp-progressive.jpg", 0.88, 0.85),
    ("png 12 MP", "photo-12mp.png", 0.75, 0.85),
    ("png camera 12 MP", "camera-12mp.png", 0.75, 0.85),
    ("webp lossy 12 MP", "photo-12mp.webp", 1.0, 0.85),
    ("webp lossless 12 MP", "photo-12mp-lossless.webp", 0.82, 0.85),
  ]

  /// TIFF by its compression: libtiff decodes it in all of them.
  private static let tiffs: [(name: String, file: String, bar: Double)] = [
    ("tiff lzw 12 MP", "photo-12mp-lzw.tif", 1.0),
    ("tiff deflate 12 MP", "photo-12mp-deflate.tif", 0.8),
    ("tiff jpeg 12 MP", "photo-12mp-jpeg.tif", 1.0),
  ]

  private static var inProcess: [Benchmark] {
    pictures.map { thumbnail($0.name, $0.file, .fine, bar: $0.bar) }
      + tiffs.map { thumbnail($0.name, $0.file, .fine, bar: $0.bar) }
      + [
        thumbnail("jpeg baseline 12 MP fast", "photo-12mp.jpg", .fast, bar: 0.72),
        thumbnail("jpeg progressive 12 MP fast", "photo-12mp-progressive.jpg", .fast, bar: 0.35),
        besideCodes,
      ]
  }

  private static func thumbnail(
    _ kind: String, _ file: String, _ effort: Thumbnail.Effort, bar: Double
  ) -> Benchmark {
    let name = "thumbnail/\(kind)"
    return Benchmark(name: name, bar: .ratio(bar)) { rounds in
      let path = try Peers.file(file)
      let data = try Data(contentsOf: URL(filePath: path))
      let peers = try Peers.start()
      let options = DecodeOptions(thumbnail: Thumbnail(box: box, mode: .fit, effort: effort))
      var counts = (ours: 0, theirs: 0)
      let measurement = try Measurement.ratio(name, to: "pyvips thumbnail_buffer", rounds: rounds) {
        () throws in
        counts.ours = try CoderRegistry.standard.decode(data, options: options).bitmap.size.pixelCount
      } limitMilliseconds: {
        let run = try peers.run("vips-thumbnail", on: path)
        counts.theirs = run.result
        return run.milliseconds
      }
      try requireEqual(counts.ours, counts.theirs, "pixels")
      return measurement
    }
  }

  /// A progressive picture beside the codes of its scans alone, which libjpeg-turbo reads for both.
  private static var besideCodes: Benchmark {
    let name = "thumbnail/jpeg progressive 12 MP, codes"
    return Benchmark(name: name, bar: .ratio(1.25)) { rounds in
      let data = try Peers.data("photo-12mp-progressive.jpg")
      let options = DecodeOptions(thumbnail: Thumbnail(box: box, mode: .fit))
      return try Measurement.ratio(name, to: "libjpeg-turbo, codes alone", rounds: rounds) { () throws in
        _ = try CoderRegistry.standard.decode(data, options: options)
      } limit: {
        try readCodes(data)
      }
    }
  }

  /// Reads all coefficients, and makes nothing of them.
  private static func readCodes(_ data: Data) throws {
    guard let decoder = cjpeg_decoder_create(100, 1 << 30) else {
      throw ImagingError.outOfMemory(byteCount: 1 << 30)
    }
    defer { cjpeg_decoder_destroy(decoder) }
    let outcome = data.withUnsafeBytes { bytes in
      cjpeg_decoder_input(decoder, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, 1)
      var header = cjpeg_header()
      var (width, height) = (UInt32(0), UInt32(0))
      guard Int(cjpeg_decoder_read_header(decoder, &header)) == CJPEG_OK,
        Int(cjpeg_decoder_start(decoder, 1, Int32(CJPEG_RGBA), &width, &height)) == CJPEG_OK
      else { return CJPEG_ERROR }
      return Int(cjpeg_decoder_consume(decoder, .max))
    }
    guard outcome == CJPEG_END else { throw ImagingError.corrupt(.jpeg, reason: "codes", offset: nil) }
  }

  /// Thumbnails of WebP beside those of the installed libwebp with its own scaling.
  private static var besideLibWebP: [Benchmark] {
    pictures.filter { $0.name.hasPrefix("webp") }.map { picture in
      let name = "thumbnail/\(picture.name) by libwebp"
      return Benchmark(name: name) { rounds in
        let data = try Peers.data(picture.file)
        let bytes = [UInt8](data)
        let options = DecodeOptions(thumbnail: Thumbnail(box: box, mode: .fit))
        var pixels = [UInt8](repeating: 0, count: 4 * box.pixelCount)
        return try Measurement.ratio(name, to: "WebPDecode, use_scaling", rounds: rounds) { () throws in
          _ = try CoderRegistry.standard.decode(data, options: options)
        } limit: {
          let outcome = clibwebp_thumbnail(bytes, bytes.count, Int32(box.width), Int32(box.height), &pixels)
          guard outcome == 1 else { throw ImagingError.emptyInput }
        }
      }
    }
  }

  /// What linear light costs a thumbnail.
  private static var inLinearLight: [Benchmark] {
    pictures.map { picture in
      let name = "thumbnail/linear light/\(picture.name)"
      return Benchmark(name: name, bar: .ratio(1.5)) { rounds in
        let data = try Peers.data(picture.file)
        func decode(_ linearLight: Bool) throws {
          let thumbnail = Thumbnail(box: box, mode: .fit, linearLight: linearLight)
          _ = try CoderRegistry.standard.decode(data, options: DecodeOptions(thumbnail: thumbnail))
        }
        return try Measurement.ratio(name, to: "as stored", rounds: rounds) { () throws in
          try decode(true)
        } limit: {
          try decode(false)
        }
      }
    }
  }

  /// Programs that make a thumbnail from file to file, and their arguments.
  private static let programs:
    [(name: String, path: String, arguments: @Sendable (_ file: String, _ folder: String) -> [String])] = [
      (
        "vipsthumbnail", "/usr/bin/vipsthumbnail",
        { [$0, "-s", "320x240", "-o", "\($1)/vips-bench.jpg[Q=80]"] }
      ),
      (
        "GraphicsMagick", "/usr/bin/gm",
        {
          [
            "convert", "-size", "640x480", $0, "-thumbnail", "320x240", "-quality", "80",
            "\($1)/gm-bench.jpg",
          ]
        }
      ),
      (
        "ImageMagick", "/usr/bin/convert",
        {
          [
            "-define", "jpeg:size=640x480", $0, "-thumbnail", "320x240", "-quality", "80",
            "\($1)/magick-bench.jpg",
          ]
        }
      ),
    ]

  private static var wholeProcess: [Benchmark] {
    pictures.flatMap { picture in programs.map { wholeProcess(picture, $0) } }
  }

  private static func wholeProcess(
    _ picture: (name: String, file: String, bar: Double, processBar: Double),
    _ program: (
      name: String, path: String, arguments: @Sendable (_ file: String, _ folder: String) -> [String]
    )
  ) -> Benchmark {
    let isFirst = program.name == programs[0].name
    let name = "process/\(picture.name)" + (isFirst ? "" : " by \(program.name)")
    return Benchmark(name: name, bar: isFirst ? .ratio(picture.processBar) : nil) { rounds in
      let command = Peers.command
      guard FileManager.default.isExecutableFile(atPath: command) else {
        throw Skipped(reason: "there is no command: run make build")
      }
      let path = try Peers.file(picture.file)
      let folder = FileManager.default.temporaryDirectory.path
      return try Measurement.ratioOfTimes(
        name, to: program.name, rounds: rounds,
        subjectMilliseconds: {
          try ProcessTime.run(
            command,
            ["convert", path, "\(folder)/calotype-bench.jpg", "--thumbnail", "320x240", "--quality", "80"]
          ).milliseconds
        },
        limitMilliseconds: {
          try ProcessTime.run(program.path, program.arguments(path, folder)).milliseconds
        })
    }
  }

  private static var thumbnailMemory: [Benchmark] {
    pictures.map { picture in
      let isStreamed = picture.name.hasPrefix("png") || picture.name.hasPrefix("jpeg baseline")
      return Benchmark(
        name: "memory/thumbnail/\(picture.name)", bar: isStreamed ? .mebibytes(12) : .mebibytes(48)
      ) {
        try PeakMemory(arguments: ["--thumbnail-once", Peers.file(picture.file)])
      }
    }
      + tiffs.map { picture in
        Benchmark(name: "memory/thumbnail/\(picture.name)", bar: .mebibytes(12)) {
          try PeakMemory(arguments: ["--thumbnail-once", Peers.file(picture.file)])
        }
      }
  }

  /// What the child of a memory benchmark does: reads a file, and makes a thumbnail.
  static func thumbnailOnce(_ file: String) throws -> PeakMemory {
    let data = try Data(contentsOf: URL(filePath: file))
    return try PeakMemory.measure {
      try CoderRegistry.standard.decode(
        data, options: DecodeOptions(thumbnail: Thumbnail(box: box, mode: .fit))
      ).bitmap.byteCount
    }
  }
}
