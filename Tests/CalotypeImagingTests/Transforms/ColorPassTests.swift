import CPixels
import Testing

@testable import CalotypeImaging

@Suite struct ColorPassTests {
  typealias Pictures = ResamplePictures

  private static func step(_ generator: inout Pictures.SplitMix) -> any ColorTransforming {
    func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: return Transforms.Grayscale(amount: number(0...1))
    case 1: return Transforms.Sepia(amount: number(0...1))
    case 2: return Transforms.Brightness(number(-0.3...0.3))
    case 3: return Transforms.Contrast(number(0.5...2))
    case 4: return Transforms.Saturation(number(0...3))
    case 5: return Transforms.HueRotation(degrees: number(-360...360))
    case 6: return Transforms.Gamma(number(0.4...2.5))
    case 7: return Transforms.Invert(amount: number(0...1))
    case 8: return Transforms.Opacity(number(0.3...1))
    case 9: return Transforms.ColorMatrix((0..<20).map { _ in number(-0.8...0.8) })
    case 10: return Transforms.Brightness(0)
    default:
      let bits = UInt32.random(in: 0...(.max), using: &generator)
      let color = PixelColor(
        red: UInt8(truncatingIfNeeded: bits), green: UInt8(truncatingIfNeeded: bits >> 8),
        blue: UInt8(truncatingIfNeeded: bits >> 16), alpha: UInt8(truncatingIfNeeded: bits >> 24))
      return Transforms.Tint(
        color, mode: Transforms.BlendMode.allCases.randomElement(using: &generator) ?? .sourceIn)
    }
  }

  @Test func onePassGivesTheBytesOfManySteps() throws {
    var generator = Pictures.SplitMix(state: 11)
    for round in 0..<400 {
      let steps = (0..<Int.random(in: 1...7, using: &generator)).map { _ in Self.step(&generator) }
      let size = round % 20 == 0 ? (70, 67) : (Int.random(in: 1...40, using: &generator), 1 + round % 5)
      let source = try Pictures.noise(size.0, size.1, opaque: round % 2 == 0, seed: UInt64(round))
      let fused = try pass(steps).apply(to: source)
      var expected = source
      for step in steps { expected = try step.apply(to: expected) }
      #expect(fused == expected, "\(steps.map(\.identity))")
      #expect(fused.isOpaque == expected.isOpaque, "\(steps.map(\.identity))")
      let alphas = stride(from: 3, to: fused.byteCount, by: 4).map { Pictures.bytes(fused)[$0] }
      #expect(!fused.isOpaque || alphas.allSatisfy { $0 == 255 })
    }
  }

  @Test func tablesAreJoined() throws {
    let joined = try pass([
      Transforms.Brightness(0.1), Transforms.Contrast(2), Transforms.Gamma(0.5),
      Transforms.Tint(.white, mode: .multiply),
    ])
    #expect(joined.operations.count == 1)
    let mixed = try pass([
      Transforms.Brightness(0.1), Transforms.Sepia(), Transforms.Contrast(2), Transforms.Invert(),
      Transforms.Opacity(0.5),
    ])
    #expect(mixed.operations.count == 3)
    #expect(
      try pass([Transforms.Invert(), Transforms.Brightness(0), Transforms.Invert()]).operations.isEmpty)
    #expect(ColorPass(operations: []).operations.isEmpty)
  }

  @Test func oneBadStepIsEnough() throws {
    #expect(throws: ImagingError.self) { try pass([Transforms.Invert(), Transforms.Gamma(.nan)]) }
  }

  @Test func allInstructionSetsGiveTheSameBytes() throws {
    var generator = Pictures.SplitMix(state: 8)
    for count in [1, 7, 8, 33, 511, 5000] {
      let one = Pictures.bytes(try Pictures.noise(count, 1, opaque: false, seed: 1))
      let other = Pictures.bytes(try Pictures.noise(count, 1, opaque: false, seed: 2))
      let matrix = (0..<20).map { Float.random(in: $0 % 5 == 4 ? -99...99 : -1.5...1.5, using: &generator) }
      let amount = Float.random(in: 0...3, using: &generator)
      let results = [CPX_LEVEL_PORTABLE, CPX_LEVEL_SIMD256].map { level in
        var products = one
        var sharp = one
        cpx_color_matrix(matrix, one, &products, count, level)
        cpx_sharpen(amount, 3, one, other, &sharp, count, level)
        return [products, sharp]
      }
      #expect(results[0] == results[1])
      #expect(results[0][0] != one && results[0][1] != one || count == 1)
    }
  }

  @Test func stopsWhenCancelled() async throws {
    let source = try Pictures.noise(50, 50)
    let task = Task { () throws -> Bitmap in
      withUnsafeCurrentTask { $0?.cancel() }
      return try Transforms.Sepia().apply(to: source)
    }
    await #expect(throws: ImagingError.cancelled) { try await task.value }
  }
}

/// The pass of these steps.
private func pass(_ steps: [any ColorTransforming]) throws -> ColorPass {
  ColorPass(operations: try steps.map { try $0.operation })
}
