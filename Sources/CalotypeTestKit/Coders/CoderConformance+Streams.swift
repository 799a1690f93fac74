import CalotypeImaging
import CalotypeSupport
import FoundationEssentials

extension CoderConformance {
  /// A registry with this coder alone.
  private var coders: CoderRegistry {
    var coders = CoderRegistry()
    coders.register(decoder)
    return coders
  }

  func checkChunks(_ sample: Sample) {
    let whole = Outcome { () throws(ImagingError) in try coders.decode(sample.data, options: Self.stored) }
    for size in [1, 7, 997, 65_536] {
      let dripped = drip(sample.data, by: size, snapshotEvery: nil)
      if dripped != whole { sample.complain("\(size) bytes at a time: \(dripped) instead of \(whole)") }
    }
    // Looking does not disturb.
    let watched = drip(sample.data, by: 64, snapshotEvery: 1, complain: sample.complain)
    if watched != whole { sample.complain("with snapshots: \(watched) instead of \(whole)") }
    checkDrippedFrames(sample)
    let places = ends(of: sample.data)
    for place in stride(from: 0, to: places.count, by: max(1, places.count / 64)) {
      let cut = sample.data.prefix(places[place])
      for allowsPartial in [false, true] {
        var options = Self.stored
        options.allowsPartial = allowsPartial
        let whole = Outcome { () throws(ImagingError) in try coders.decode(cut, options: options) }
        let dripped = drip(cut, by: 97, snapshotEvery: nil, options: options)
        if !dripped.agrees(with: whole) {
          sample.complain(
            "cut to \(cut.count) bytes\(allowsPartial ? ", partial" : ""), dripped: \(dripped) instead of \(whole)"
          )
        }
      }
    }
  }

  private func drip(
    _ data: Data, by size: Int, snapshotEvery: Int?, options: DecodeOptions = stored,
    complain: (String) -> Void = { _ in }
  ) -> Outcome {
    Outcome { () throws(ImagingError) in
      let incremental = coders.makeIncrementalDecoder(options: options)
      for (number, chunk) in data.chunks(of: size).enumerated() {
        try incremental.append(chunk)
        guard let snapshotEvery, number % snapshotEvery == 0, let seen = try incremental.snapshot() else {
          continue
        }
        if !seen.isPartial { complain("a snapshot is not marked as partial") }
        if let info = incremental.info {
          if seen.bitmap.size != info.size { complain("a snapshot is \(seen.bitmap.size), not \(info.size)") }
        } else {
          complain("a snapshot without info")
        }
      }
      return try incremental.finish()
    }
  }

  /// Frames that arrive are those of the whole file.
  private func checkDrippedFrames(_ sample: Sample) {
    guard let animation = try? AnimatedImage(data: sample.data, coders: coders, options: Self.stored),
      animation.frameCount > 1
    else { return }
    let incremental = coders.makeIncrementalDecoder(options: Self.stored)
    var next = 0
    func look() throws(ImagingError) {
      while next < incremental.completeFrameCount {
        if try incremental.frame(at: next).bitmap != animation.frame(at: next).bitmap {
          sample.complain("frame \(next) differs when dripped")
        }
        next += 1
      }
    }
    _ = sample.attempt("dripping frames") { () throws(ImagingError) in
      for chunk in sample.data.chunks(of: 256) {
        try incremental.append(chunk)
        try look()
      }
      _ = try incremental.finish()
      try look()
    }
    if next != animation.frameCount {
      sample.complain("\(next) of \(animation.frameCount) frames when dripped")
    }
  }

  func checkCancellation(_ sample: Sample) async {
    let (decoder, data) = (decoder, sample.data)
    let task = Task { () -> ImagingError? in
      withUnsafeCurrentTask { $0?.cancel() }
      do throws(ImagingError) {
        _ = try decoder.decode(data, minimumSize: nil, options: Self.stored)
        return nil
      } catch {
        return error
      }
    }
    let error = await task.value
    if error != .cancelled { sample.complain("a cancelled task gets \(error.map { $0.code } ?? "an image")") }
  }

  func checkConcurrency(_ sample: Sample) async {
    let (decoder, data) = (decoder, sample.data)
    let alone = Outcome { () throws(ImagingError) in try decode(data) }
    // Threads of its own: the cooperative pool may have but one.
    let workers = WorkerExecutor(name: "conformance", threads: 4)
    let outcomes = await withTaskGroup(of: Outcome?.self) { group in
      for _ in 0..<16 {
        group.addTask {
          try? await workers.run {
            Outcome { () throws(ImagingError) in
              try decoder.decode(data, minimumSize: nil, options: Self.stored)
            }
          }
        }
      }
      return await group.reduce(into: [Outcome?]()) { $0.append($1) }
    }
    for outcome in outcomes where outcome != alone {
      sample.complain("on many threads: \(outcome.map { "\($0)" } ?? "nothing") instead of \(alone)")
    }
  }

  func checkFrames(_ sample: Sample) {
    guard let info = try? probe(sample.data), info.frameCount > 1 else { return }
    let made = sample.attempt("makeFrameDecoder") { () throws(ImagingError) in
      try decoder.makeFrameDecoder(sample.data, options: Self.stored)
    }
    guard let made, let frames = made else {
      return sample.complain("an animation without access to its frames")
    }
    if frames.info != info { sample.complain("the frames carry another info than probe says") }
    var sequence: [Bitmap] = []
    for index in 0..<min(info.frameCount, 64) {
      guard
        let frame = sample.attempt(
          "frame \(index)", { () throws(ImagingError) in try frames.frame(at: index) })
      else { return }
      if frame.size != info.size {
        sample.complain("frame \(index) is \(frame.size), the canvas \(info.size)")
      }
      sequence.append(frame)
    }
    if let first = try? decode(sample.data), first.bitmap != sequence[0] {
      sample.complain("the first frame is not the decoded image")
    }
    var random = Xorshift(seed: seed)
    let order = Array(sequence.indices.reversed()) + (0..<32).map { _ in random.below(sequence.count) }
    for index in order {
      let frame = sample.attempt("frame \(index)") { () throws(ImagingError) in try frames.frame(at: index) }
      if let frame, frame != sequence[index] { sample.complain("frame \(index) differs out of order") }
    }
    for index in [-1, info.frameCount, .max, .min] {
      if case .image = Outcome({ () throws(ImagingError) in Image(bitmap: try frames.frame(at: index)) }) {
        sample.complain("there is a frame \(index)")
      }
    }
  }
}

extension Data {
  fileprivate func chunks(of size: Int) -> [Data] {
    stride(from: startIndex, to: endIndex, by: size).map { self[$0..<Swift.min($0 + size, endIndex)] }
  }
}
