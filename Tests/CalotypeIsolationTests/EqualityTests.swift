import CalotypeImaging
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeIsolation

@Suite("Sandboxed decodes equal those of this process")
struct EqualityTests {
  static let service = Sandboxes.service(workers: 2)
  static let here = CoderRegistry.standard
  static let there = Sandboxes.registry(service)

  /// All test images.
  static let files: [(name: String, data: Data)] = {
    var files: [(name: String, data: Data)] = []
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures")
    var folders = [root]
    while let folder = folders.popLast() {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      where name != "Crashers" {
        let url = folder.appending(path: name)
        if let data = try? Data(contentsOf: url) {
          // Formats that no process decodes outside of a sandbox have no equal.
          let isComparable = !CoderRegistry.sandboxed.decodersBeyondStandard.contains {
            $0.format(of: data.prefix(4096)) != nil
          }
          if data.count < 4 << 20, !data.isEmpty, isComparable { files.append((name, data)) }
        } else {
          folders.append(url)
        }
      }
    }
    return files.sorted { $0.name < $1.name }
  }()

  static let options: [DecodeOptions] = [
    DecodeOptions(),
    DecodeOptions(thumbnail: .fit(width: 48, height: 48)),
    DecodeOptions(thumbnail: .fill(width: 20, height: 30)),
    DecodeOptions(appliesOrientation: false, pixels: .native, colors: .asStored, readsMetadata: true),
    DecodeOptions(allowsPartial: true, maxPixels: 500),
    DecodeOptions(transforms: [.resize(width: 24, height: 24, mode: .fill, anchor: .entropy), .grayscale()]),
  ]

  private func outcome<Value>(_ body: () throws(ImagingError) -> Value) -> Result<Value, ImagingError> {
    do throws(ImagingError) { return .success(try body()) } catch { return .failure(error) }
  }

  @Test("stills, by all kinds of options", arguments: options.indices)
  func stills(_ index: Int) {
    var pictures = 0
    for file in Self.files {
      let options = Self.options[index]
      let here = outcome { () throws(ImagingError) in try Self.here.decode(file.data, options: options) }
      let there = outcome { () throws(ImagingError) in try Self.there.decode(file.data, options: options) }
      switch (here, there) {
      case (.success(let a), .success(let b)):
        pictures += 1
        #expect(a.bitmap == b.bitmap, "\(file.name)")
        #expect(a.info == b.info, "\(file.name)")
        #expect(a.profile == b.profile && a.orientation == b.orientation, "\(file.name)")
        #expect(a.metadata == b.metadata && a.isPartial == b.isPartial, "\(file.name)")
      case (.failure(let a), .failure(let b)): #expect(a == b, "\(file.name)")
      default: Issue.record("\(file.name): \(here) and \(there)")
      }
    }
    #expect(pictures > 20)
    #expect(Self.service.statistics.crashes == 0)
    #expect(Self.service.statistics.violations == 0)
  }

  @Test("headers of whole files and of their beginnings")
  func headers() {
    for file in Self.files {
      let a = outcome { () throws(ImagingError) in try Self.here.decodableInfo(of: file.data) }
      let b = outcome { () throws(ImagingError) in try Self.there.decodableInfo(of: file.data) }
      #expect(a == b, "\(file.name)")
      for count in [10, 100, 1000] where count < file.data.count {
        let prefix = file.data.prefix(count)
        let a = outcome { () throws(ImagingError) in try Self.here.header(of: prefix) }
        let b = outcome { () throws(ImagingError) in try Self.there.header(of: prefix) }
        #expect(a == b, "\(file.name) \(count)")
      }
    }
  }

  @Test("several sizes in one decode")
  func sizes() throws {
    let thumbnails: [Thumbnail?] = [.fit(width: 64, height: 64), nil, .fill(width: 16, height: 16)]
    for file in Self.files {
      let a = outcome { () throws(ImagingError) in
        try Self.here.decode(file.data, thumbnails: thumbnails).map(\.bitmap)
      }
      let b = outcome { () throws(ImagingError) in
        try Self.there.decode(file.data, thumbnails: thumbnails).map(\.bitmap)
      }
      #expect(a == b, "\(file.name)")
    }
  }

  @Test("frames of animations, in any order")
  func frames() throws {
    var animations = 0
    let options = DecodeOptions(thumbnail: .fit(width: 40, height: 40), transforms: [.flip(.horizontal)])
    for file in Self.files {
      let a = outcome { () throws(ImagingError) in
        try AnimatedImage(data: file.data, coders: Self.here, options: options)
      }
      let b = outcome { () throws(ImagingError) in
        try AnimatedImage(data: file.data, coders: Self.there, options: options)
      }
      switch (a, b) {
      case (.success(let a), .success(let b)):
        #expect(a.info == b.info && a.frameCount == b.frameCount, "\(file.name)")
        guard a.frameCount > 1 else { continue }
        animations += 1
        #expect(a.keyFrames == b.keyFrames, "\(file.name)")
        let last = a.frameCount - 1
        for index in [0, last, min(1, last), last / 2] {
          let x = outcome { () throws(ImagingError) in try a.frame(at: index) }
          let y = outcome { () throws(ImagingError) in try b.frame(at: index) }
          switch (x, y) {
          case (.success(let x), .success(let y)):
            #expect(
              x.bitmap == y.bitmap && x.info == y.info && x.orientation == y.orientation,
              "\(file.name) \(index)")
          case (.failure(let x), .failure(let y)): #expect(x == y, "\(file.name) \(index)")
          default: Issue.record("\(file.name) \(index)")
          }
        }
      case (.failure(let a), .failure(let b)): #expect(a == b, "\(file.name)")
      default: Issue.record("\(file.name)")
      }
    }
    #expect(animations > 3)
  }

  @Test("bytes as they arrive: previews, frames, and the end")
  func streams() throws {
    var previews = 0
    for file in Self.files {
      let options = DecodeOptions(thumbnail: .fit(width: 40, height: 40))
      let a = Self.here.makeIncrementalDecoder(options: options)
      let b = Self.there.makeIncrementalDecoder(options: options)
      var position = 0
      let step = max(1, file.data.count / 5)
      while position < file.data.count {
        let chunk = file.data.dropFirst(position).prefix(step)
        position += step
        let x = outcome { () throws(ImagingError) in try a.append(chunk) }
        let y = outcome { () throws(ImagingError) in try b.append(chunk) }
        #expect(x.error == y.error, "\(file.name)")
        #expect(a.info == b.info && a.completeFrameCount == b.completeFrameCount, "\(file.name)")
        #expect(a.completedPasses == b.completedPasses, "\(file.name)")
        let p = outcome { () throws(ImagingError) in try a.snapshot() }
        let q = outcome { () throws(ImagingError) in try b.snapshot() }
        if case .success(let picture?) = p {
          previews += 1
          #expect(picture.isPartial)
        }
        #expect(p.value??.bitmap == q.value??.bitmap && p.error == q.error, "\(file.name) at \(position)")
      }
      let x = outcome { () throws(ImagingError) in try a.finish() }
      let y = outcome { () throws(ImagingError) in try b.finish() }
      #expect(x.value?.bitmap == y.value?.bitmap && x.error == y.error, "\(file.name)")
      #expect(x.value?.info == y.value?.info, "\(file.name)")
    }
    #expect(previews > 20)
  }
}

extension Result {
  var value: Success? { if case .success(let value) = self { value } else { nil } }
  var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
