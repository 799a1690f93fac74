#if AVIF
import CalotypeImaging
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HelperPrograms
import Testing

@testable import CalotypeIsolation

/// Workers open the libraries of the formats that were asked for, and no others.
@Suite("Libraries of workers", .enabled(if: AVIFDecoder().refusal(of: .avif) == nil))
struct LibraryTests {
  private let avif: Data
  private let jpeg: Data

  init() throws {
    let file = EqualityTests.files.first { file in
      file.name.hasSuffix(".avif") && (try? CoderRegistry.standard.decode(file.data)) != nil
    }
    avif = try #require(file).data
    jpeg = try SandboxLifeTests.photo(width: 40, height: 30)
  }

  private func pixels(_ data: Data, _ coders: CoderRegistry = .standard) throws -> Bitmap {
    try coders.decode(data).bitmap
  }

  @Test("a worker without the library makes room for one that has it, which serves all afterwards")
  func replacement() throws {
    let sandbox = Sandboxes.service()
    let coders = Sandboxes.registry(sandbox)
    #expect(try pixels(jpeg, coders) == pixels(jpeg))
    let first = try sandbox.pool.take(for: nil, until: .distantFuture)
    #expect(first.formats.isEmpty)
    sandbox.pool.giveBack(first)
    #expect(try pixels(avif, coders) == pixels(avif))
    let second = try sandbox.pool.take(for: nil, until: .distantFuture)
    #expect(second.formats == [.avif])
    sandbox.pool.giveBack(second)
    for data in [jpeg, avif, jpeg] { #expect(try pixels(data, coders) == pixels(data)) }
    #expect(sandbox.statistics.starts == 2)
    #expect(sandbox.statistics.crashes == 0 && sandbox.statistics.violations == 0)
  }

  @Test("too few bytes to recognise a format cost another worker and nothing else")
  func unrecognised() throws {
    let sandbox = Sandboxes.service()
    let stream = Sandboxes.registry(sandbox).makeIncrementalDecoder()
    for (start, end) in [(0, 3), (3, 9), (9, avif.count)] { try stream.append(avif[start..<end]) }
    #expect(try stream.finish().bitmap == pixels(avif))
    #expect(sandbox.statistics.crashes == 0 && sandbox.statistics.violations == 0)
  }

  @Test("workers may be the program calotype-decoder", .enabled(if: !Sanitizer.isOn))
  func program() throws {
    let program = try #require(helperProgram("calotype-decoder"))
    let sandbox = Sandboxes.service {
      $0.executable = .path(program)
      $0.test.usesTestCoders = false
    }
    let coders = CoderRegistry.standard.isolated(by: sandbox)
    for data in [jpeg, avif] { #expect(try pixels(data, coders) == pixels(data)) }
    #expect(sandbox.statistics.starts == 2 && sandbox.statistics.decodedHere == 0)
  }

  @Test("sessions outlive the worker that made room")
  func sessions() throws {
    let sandbox = Sandboxes.service()
    let coders = Sandboxes.registry(sandbox)
    let stream = coders.makeIncrementalDecoder()
    try stream.append(jpeg.prefix(100))
    #expect(try pixels(avif, coders) == pixels(avif))
    try stream.append(jpeg.dropFirst(100))
    #expect(try stream.finish().bitmap == pixels(jpeg))
  }

  @Test("all wait for the one worker, with and without the library")
  func contention() async throws {
    let sandbox = Sandboxes.service()
    let coders = Sandboxes.registry(sandbox)
    let workers = WorkerExecutor(name: "sandbox-test", threads: 8)
    let (avif, jpeg) = (avif, jpeg)
    let expected = (try pixels(avif), try pixels(jpeg))
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<64 {
        group.addTask {
          try await workers.run {
            try index % 3 == 0
              ? coders.decode(avif).bitmap == expected.0 : coders.decode(jpeg).bitmap == expected.1
          }
        }
      }
      for try await isEqual in group { #expect(isEqual) }
    }
    #expect(sandbox.statistics.starts <= 2)
  }
}
#endif
