import CalotypeSupport
import FoundationEssentials

/// A small file with the number of the last applied entry of a log. Read and written by a thread of its own.
final class PositionFile: Sendable {
  private let path: String
  private let files: any FileSystem
  private let thread = SerialThread(name: "calotype-purge")

  init(_ path: String, files: any FileSystem = POSIXFileSystem()) {
    self.path = path
    self.files = files
  }

  /// Returns the number; `nil` when there is none, or the file is not what ``save(_:)`` writes.
  func load() async -> Int? {
    let waiter = Waiter<Int?>()
    thread.schedule { [files, path] in
      let bytes = try? files.contents(of: path, limit: 32, mayWait: true)?.bytes.data(from: 0)
      waiter.resolve(bytes.flatMap { Self.number($0) })
    }
    return await waiter.value(onCancel: nil)
  }

  /// Writes the number, later. A number that is lost, or that cannot be written, purges more than needed at the next start.
  func save(_ number: Int) {
    thread.schedule { [files, path] in
      let temporary = path + ".new"
      let data = Data("\(number)\n".utf8)
      do {
        try files.create(temporary, parts: [data], modified: Date(), synchronize: false)
        try files.rename(temporary, to: path, synchronize: false)
      } catch {}
    }
  }

  /// Returns when all earlier calls of ``save(_:)`` are done.
  func settle() async {
    let waiter = Waiter<Void>()
    thread.schedule { waiter.resolve(()) }
    await waiter.value()
  }

  private static func number(_ bytes: Data) -> Int? {
    guard bytes.last == UInt8(ascii: "\n"), bytes.dropLast().allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int(String(decoding: bytes.dropLast(), as: UTF8.self)).flatMap {
      $0 <= PurgeTable.highestNumber ? $0 : nil
    }
  }
}
