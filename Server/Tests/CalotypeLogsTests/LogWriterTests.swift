import Glibc
import Logging
import Testing

@testable import CalotypeLogs

/// A pipe that holds little.
private struct Pipe {
  let reading: Int32
  let writing: Int32

  init() {
    var descriptors: [Int32] = [0, 0]
    let status = pipe(&descriptors)
    precondition(status == 0)
    (reading, writing) = (descriptors[0], descriptors[1])
    // F_SETPIPE_SZ
    _ = fcntl(writing, 1031, 4096)
  }

  /// Reads until a text has come.
  func read(until end: String) -> String { read { $0.contains(end) } }

  /// Reads until a condition holds.
  func read(until isEnough: (String) -> Bool) -> String {
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !isEnough(text) {
      let count = Glibc.read(reading, &buffer, buffer.count)
      guard count > 0 else { break }
      text += String(decoding: buffer[..<count], as: UTF8.self)
    }
    return text
  }
}

@Suite("Log writer", .timeLimit(.minutes(1)))
struct LogWriterTests {
  private static func writer(_ pipe: Pipe, limit: Int = 256 << 10) -> LogWriter {
    LogWriter(descriptor: pipe.writing, limit: limit) { "dropped \($0)" }
  }

  @Test func linesComeInOrder() {
    let pipe = Pipe()
    let writer = Self.writer(pipe)
    for index in 0..<100 { writer.write("line \(index)") }
    writer.write("end")
    let text = pipe.read(until: "end\n")
    #expect(text == (0..<100).map { "line \($0)\n" }.joined() + "end\n")
    #expect(writer.close(within: .seconds(30)) && writer.droppedCount == 0)
  }

  /// Nobody reads: callers are never delayed, memory is bounded, and the loss is reported when somebody reads again.
  @Test func aReaderThatStops() {
    let pipe = Pipe()
    let writer = Self.writer(pipe, limit: 10_000)
    let line = String(repeating: "x", count: 99)
    for _ in 0..<10_000 { writer.write(line) }
    // 4 KiB are in the pipe; the thread holds at most 10,000 bytes, and as many wait.
    let dropped = writer.droppedCount
    #expect(dropped >= 10_000 - 300 && dropped < 10_000)
    #expect(!writer.close(within: .milliseconds(1)))
    // The thread may have reported some of the lost lines while others were lost.
    let reported = { (text: String) in
      text.split(separator: "\n").compactMap { Int($0.trimmingPrefix("dropped ")) }.reduce(0, +)
    }
    let text = pipe.read { $0.hasSuffix("\n") && reported($0) >= dropped }
    #expect(reported(text) == dropped)
    #expect(text.split(separator: "\n").count { $0 == line } == 10_000 - dropped)
    #expect(writer.close(within: .seconds(30)))
    writer.write("too late")
    #expect(writer.droppedCount == dropped + 1)
  }

  @Test func handlerMergesMetadata() {
    let pipe = Pipe()
    let writer = LineLogHandler.writer(descriptor: pipe.writing, format: .structured)
    var logger = Logger(label: "test") {
      LineLogHandler(label: $0, format: .structured, level: .info, writer: writer)
    }
    logger[metadataKey: "a"] = "1"
    logger[metadataKey: "b"] = "1"
    logger.debug("hidden")
    logger.info("shown", metadata: ["b": "2"])
    let text = pipe.read(until: "\n")
    #expect(text.hasSuffix("level=info msg=\"shown\" logger=test a=1 b=2\n"))
    writer.close(within: .seconds(30))
  }
}
