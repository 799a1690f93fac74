import CalotypeSupport
import FoundationEssentials
import Glibc

@testable import CalotypeCaching

/// The real file system, for a process that dies at one of its changes: from then on nothing is done any more.
final class DyingFileSystem: FileSystem {
  /// What becomes of the change at which it dies.
  enum Manner: CaseIterable, Sendable {
    case undone
    /// Of the bytes, a part is written. Renames, removals and the like know no halves and are done.
    case partly
  }

  private let base = POSIXFileSystem()
  private let last: Int
  private let manner: Manner
  private let state = Lock((changes: 0, isDead: false))

  /// - Parameter last: The change at which it dies.
  init(last: Int = .max, _ manner: Manner = .undone) {
    self.last = last
    self.manner = manner
  }

  var changes: Int { state.withLock { $0.changes } }
  var isDead: Bool { state.withLock { $0.isDead } }

  static let death = FileSystemError(operation: "death", path: "", code: EIO)

  private func alive() throws(FileSystemError) {
    if isDead { throw Self.death }
  }

  /// Does a change, or a part of it when it is the last.
  fileprivate func change<Result>(
    _ whole: () throws(FileSystemError) -> Result, partly: () throws(FileSystemError) -> Void
  ) throws(FileSystemError) -> Result {
    let isLast = try state.withLock { state throws(FileSystemError) in
      if state.isDead { throw Self.death }
      state.changes += 1
      state.isDead = state.changes == last
      return state.isDead
    }
    guard isLast else { return try whole() }
    if manner == .partly { try partly() }
    throw Self.death
  }

  fileprivate func change<Result>(
    _ whole: () throws(FileSystemError) -> Result
  ) throws(FileSystemError) -> Result {
    try change(whole) { () throws(FileSystemError) in _ = try whole() }
  }

  func contents(
    of path: String, limit: Int, mayWait: Bool
  ) throws(FileSystemError) -> FileContents? {
    try alive()
    return try base.contents(of: path, limit: limit, mayWait: mayWait)
  }

  func open(_ path: String) throws(FileSystemError) -> (any FileReading)? {
    try alive()
    return try base.open(path)
  }

  func openShared(_ path: String) throws(FileSystemError) -> any SharedFile {
    let file = try change { () throws(FileSystemError) in try base.openShared(path) }
    return DyingSharedFile(base: file, owner: self)
  }

  func create(
    _ path: String, parts: [Data], modified: Date, synchronize: Bool
  ) throws(FileSystemError) {
    try change { () throws(FileSystemError) in
      try base.create(path, parts: parts, modified: modified, synchronize: synchronize)
    } partly: { () throws(FileSystemError) in
      let half = parts.map { $0.prefix($0.count / 2 + 1) }
      try base.create(path, parts: half, modified: modified, synchronize: false)
    }
  }

  func rename(_ path: String, to newPath: String, synchronize: Bool) throws(FileSystemError) {
    try change { () throws(FileSystemError) in
      try base.rename(path, to: newPath, synchronize: synchronize)
    }
  }

  func link(_ path: String, to newPath: String) throws(FileSystemError) {
    try change { () throws(FileSystemError) in try base.link(path, to: newPath) }
  }

  func synchronize(_ path: String) throws(FileSystemError) -> Bool {
    try change { () throws(FileSystemError) in try base.synchronize(path) }
  }

  func synchronizeAll(at folder: String) throws(FileSystemError) -> Bool {
    try change { () throws(FileSystemError) in try base.synchronizeAll(at: folder) }
  }

  func remove(_ path: String) throws(FileSystemError) -> Bool {
    try change { () throws(FileSystemError) in try base.remove(path) }
  }

  func touch(_ path: String, modified: Date) throws(FileSystemError) {
    try change { () throws(FileSystemError) in try base.touch(path, modified: modified) }
  }

  func status(_ path: String) throws(FileSystemError) -> FileStatus? {
    try alive()
    return try base.status(path)
  }

  func list(
    _ folder: String, _ body: (_ name: String, _ status: FileStatus) -> Void
  ) throws(FileSystemError) {
    try alive()
    try base.list(folder, body)
  }

  func space(at folder: String) throws(FileSystemError) -> FileSystemSpace? {
    try alive()
    return try base.space(at: folder)
  }

  func makeFolder(_ path: String) throws(FileSystemError) {
    try change { () throws(FileSystemError) in try base.makeFolder(path) }
  }
}

private struct DyingSharedFile: SharedFile {
  let base: any SharedFile
  let owner: DyingFileSystem

  var status: FileStatus { base.status }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    if owner.isDead { throw DyingFileSystem.death }
    return try base.read(at: offset, into: buffer)
  }

  func currentStatus() throws(FileSystemError) -> FileStatus {
    if owner.isDead { throw DyingFileSystem.death }
    return try base.currentStatus()
  }

  func append(_ data: Data, synchronize: Bool) throws(FileSystemError) {
    try owner.change { () throws(FileSystemError) in
      try base.append(data, synchronize: synchronize)
    } partly: { () throws(FileSystemError) in
      try base.append(data.prefix(data.count * 5 / 8), synchronize: false)
    }
  }

  func overwrite(_ data: Data) throws(FileSystemError) {
    try owner.change { () throws(FileSystemError) in
      try base.overwrite(data)
    } partly: { () throws(FileSystemError) in
      try base.overwrite(data.prefix(data.count / 2))
    }
  }

  func truncate(to length: Int) throws(FileSystemError) {
    try owner.change { () throws(FileSystemError) in try base.truncate(to: length) }
  }

  func tryLock() throws(FileSystemError) -> Bool {
    if owner.isDead { throw DyingFileSystem.death }
    return try base.tryLock()
  }

  /// The system takes the locks of the dead.
  func unlock() { base.unlock() }
}
