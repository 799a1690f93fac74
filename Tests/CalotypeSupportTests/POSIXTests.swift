import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@Suite("Reading and writing descriptors")
struct POSIXTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func path(_ name: String) -> String { folder.url.appending(path: name).path }

  @Test("a pipe that delivers piecemeal fills the whole buffer")
  func shortReads() async throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let (reader, writer) = (FileDescriptor(owning: ends[0]), FileDescriptor(owning: ends[1]))
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    // Larger than a pipe: both sides transfer in pieces.
    let writing = Task.detached {
      try bytes.withUnsafeBytes { buffer in
        for start in stride(from: 0, to: buffer.count, by: 7_000) {
          let piece = UnsafeRawBufferPointer(rebasing: buffer[start..<min(start + 7_000, buffer.count)])
          try POSIX.write(piece, to: writer.number)
        }
      }
    }
    var read = [UInt8](repeating: 0, count: bytes.count)
    let count = try read.withUnsafeMutableBytes { try POSIX.read(reader.number, into: $0) }
    try await writing.value
    #expect(count == bytes.count && read == bytes)
  }

  @Test("offsets do not move the position, and the end of a file is a short read")
  func offsets() throws {
    let file = try FileDescriptor(path("a"), O_RDWR | O_CREAT)
    try file.write(Data("hello world".utf8), at: 0)
    try file.write(Data("W".utf8), at: 6)
    #expect(try file.read(at: 6, count: 100) == Data("World".utf8))
    try file.truncate(to: 5)
    #expect(try file.read(at: 0, count: 100) == Data("hello".utf8))
    #expect(try file.read(at: 5, count: 1).isEmpty)
  }

  @Test("errors carry the errno")
  func errors() throws {
    #expect(throws: SystemError(ENOENT)) { _ = try FileDescriptor(path("none"), O_RDONLY) }
    let file = try FileDescriptor(path("b"), O_RDONLY | O_CREAT)
    #expect(throws: SystemError(EBADF)) { try file.write(Data([1]), at: 0) }
    #expect(SystemError(ENOSPC).reason == "No space left on device")
    // A device that is always full.
    let full = try FileDescriptor("/dev/full", O_WRONLY)
    #expect(throws: SystemError(ENOSPC)) { try full.write(Data([1]), at: 0) }
  }

  @Test("durations are clamped once")
  func durations() {
    #expect(Duration.seconds(Int64.max).nanosecondCount == .max)
    #expect(Duration.seconds(Int64.min).nanosecondCount == .min)
    #expect(Duration.milliseconds(-1).nanosecondCount == -1_000_000)
    let time = MonotonicTime(nanoseconds: 5)
    #expect(time.advanced(by: .seconds(Int64.max)) == .distantFuture)
    #expect(time.advanced(by: .seconds(-1)) == time)
    #expect(time.advanced(by: .nanoseconds(7)).nanoseconds == 12)
  }
}
