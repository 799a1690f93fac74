import Foundation
import Glibc
import HelperPrograms
import PipelineSamples
import Testing

/// Example programs, started as people start them.
///
/// Each has a folder of its own, with its cache, which is removed at the end.
final class Program: Sendable {
  /// The end of a program.
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// The folder for the files of a test.
  let folder: CacheFolder
  private let path: String

  init(_ name: String) throws {
    path = try #require(helperProgram(name), "\(name) is not built beside the tests")
    folder = try CacheFolder()
  }

  /// A shell script.
  init(script: String) throws {
    path = script
    folder = try CacheFolder()
  }

  /// Returns the path of a file in the folder.
  func file(_ name: String) -> String { folder.url.appending(path: name).path }

  /// Runs the program to its end.
  ///
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - input: Standard input, through a pipe; empty by default.
  ///   - started: Called when the program runs, with the file that its standard output is written to.
  func run(
    _ arguments: [String], input: Data? = nil,
    started: (Process, String) async throws -> Void = { _, _ in }
  ) async throws -> Outcome {
    let number = UInt64.random(in: 0 ... .max)
    let (output, errors) = (file("output-\(number)"), file("errors-\(number)"))
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["XDG_CACHE_HOME": file("cache"), "CALOTYPE": helperProgram("calotype") ?? ""]
    ) { $1 }
    process.standardOutput = try Self.handle(output)
    process.standardError = try Self.handle(errors)
    var pipe: Pipe?
    if input == nil { process.standardInput = FileHandle.nullDevice } else { pipe = Pipe() }
    if let pipe { process.standardInput = pipe }
    let (ends, end) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = {
      end.yield($0.terminationStatus)
      end.finish()
    }
    try process.run()
    if let pipe, let input {
      // Off the threads that tests share: it waits for the program to read.
      Thread.detachNewThread {
        // A program that has seen enough ends: that is an error of this thread alone.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        try? pipe.fileHandleForWriting.write(contentsOf: input)
        try? pipe.fileHandleForWriting.close()
      }
    }
    try await started(process, output)
    var status: Int32 = -1
    for await value in ends { status = value }
    return Outcome(
      status: status, output: try String(contentsOfFile: output, encoding: .utf8),
      errors: try String(contentsOfFile: errors, encoding: .utf8))
  }

  private static func handle(_ path: String) throws -> FileHandle {
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    return try #require(FileHandle(forWritingAtPath: path))
  }
}

/// The sample photos.
enum Photos {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Examples/Photos").path

  static func path(_ name: String) -> String { folder + "/" + name }
}
