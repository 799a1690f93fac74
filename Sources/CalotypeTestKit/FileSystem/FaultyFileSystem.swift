public import CalotypeSupport
package import FoundationEssentials
import Glibc

/// A file system that fails or hangs when a test wants it to, and is the real one otherwise.
///
/// ```swift
/// let files = FaultyFileSystem()
/// let cache = DiskCache(configuration, fileSystem: files)
/// files.fail(.create, with: ENOSPC, times: 1)
/// let gate = Gate()
/// files.hold(.open, at: gate)
/// …
/// try await files.waitForCalls(.open, count: 2)
/// ```
public final class FaultyFileSystem: FileSystem {
  /// The operations that can be made to fail.
  public enum Operation: Hashable, Sendable, CaseIterable {
    /// Opening a file for reading.
    case open
    /// Reading from an open file.
    case read
    /// Opening a file to append to it or to lock it.
    case openShared
    /// Appending to a file.
    case append
    /// Writing over a file that several processes have open.
    case overwrite
    /// Cutting a file off.
    case truncate
    /// Taking the lock of a file.
    case lock
    /// Writing a file.
    case create
    /// Renaming a file.
    case rename
    /// Giving a file a second name.
    case link
    /// Waiting for the device: for a file, a folder or the whole file system.
    case synchronize
    /// Removing a file.
    case remove
    /// Setting a modification time.
    case touch
    /// Asking what a file is.
    case status
    /// Listing a folder.
    case list
    /// Making a folder.
    case makeFolder
    /// Asking for the free space.
    case space
  }

  /// Called before an operation, on the thread that is about to do it; what it throws is what the operation throws.
  package typealias Hook = @Sendable (_ operation: Operation, _ path: String) throws(FileSystemError) -> Void

  private struct State {
    var hook: Hook?
    var space: (@Sendable () -> (total: Int, available: Int)?)?
    var faults: [Operation: (code: Int32, times: Int)] = [:]
    var gates: [Operation: Gate] = [:]
    var calls: [Operation: Int] = [:]
  }

  private let base: any FileSystem
  private let journal = EventLog(State())

  /// Wraps a file system.
  package init(_ base: any FileSystem) {
    self.base = base
  }

  /// Wraps the file system of the machine.
  public convenience init() {
    self.init(POSIXFileSystem())
  }

  /// Lets the next calls of an operation fail.
  public func fail(_ operation: Operation, with code: Int32, times: Int = .max) {
    journal.note { $0.faults[operation] = (code, times) }
  }

  /// Calls `hook` before every operation that does not fail anyway.
  package func intercept(_ hook: @escaping Hook) {
    journal.note { $0.hook = hook }
  }

  /// Lets calls of an operation hang until `gate` is open, as on a device or a server that does not answer. Each blocks
  /// its thread, before it fails or is passed to the hook.
  public func hold(_ operation: Operation, at gate: Gate) {
    journal.note { $0.gates[operation] = gate }
  }

  /// Makes the file system report this much space, in bytes, instead of its own; `nil` when it tells nothing.
  public func reportSpace(_ space: @escaping @Sendable () -> (total: Int, available: Int)?) {
    journal.note { $0.space = space }
  }

  /// Lets all operations succeed again, and new ones without hanging.
  public func heal() {
    journal.note { state in
      state.faults = [:]
      state.gates = [:]
      state.hook = nil
    }
  }

  /// How often an operation was called, failures included.
  public func calls(_ operation: Operation) -> Int {
    journal.entries.calls[operation, default: 0]
  }

  /// Suspends until an operation was called `count` times: the call has come in, and may hang.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  public func waitForCalls(_ operation: Operation, count: Int = 1) async throws {
    try await journal.wait { $0.calls[operation, default: 0] >= count }
  }

  /// Whether an operation may block: there is a hook that sees each one, or reads hang.
  private var isIntercepted: Bool {
    let state = journal.entries
    return state.hook != nil || state.gates[.open] != nil || state.gates[.read] != nil
  }

  fileprivate func enter(_ operation: Operation, _ path: String) throws(FileSystemError) {
    let (gate, code, hook) = journal.note { state -> (Gate?, Int32?, Hook?) in
      state.calls[operation, default: 0] += 1
      let gate = state.gates[operation]
      guard let fault = state.faults[operation], fault.times > 0 else { return (gate, nil, state.hook) }
      state.faults[operation] = (fault.code, fault.times - 1)
      return (gate, fault.code, nil)
    }
    gate?.waitBlocking()
    if let code { throw FileSystemError(operation: "\(operation)", path: path, code: code) }
    try hook?(operation, path)
  }

  /// Reads a file. A call that must not wait fails while there is a hook or a gate, which may block it.
  package func contents(
    of path: String, limit: Int, mayWait: Bool
  ) throws(FileSystemError) -> FileContents? {
    if !mayWait, isIntercepted { throw FileSystemError(operation: "open", path: path, code: EAGAIN) }
    try enter(.open, path)
    try enter(.read, path)
    return try base.contents(of: path, limit: limit, mayWait: mayWait)
  }

  /// Opens a file whose appends and locks may fail as well.
  package func openShared(_ path: String) throws(FileSystemError) -> any SharedFile {
    try enter(.openShared, path)
    return FaultySharedFile(base: try base.openShared(path), path: path, owner: self)
  }

  /// Opens a file whose reads may fail as well.
  package func open(_ path: String) throws(FileSystemError) -> (any FileReading)? {
    try enter(.open, path)
    return try base.open(path).map { FaultyFile(base: $0, path: path, owner: self) }
  }

  /// Writes a file.
  package func create(
    _ path: String, parts: [Data], modified: Date, synchronize: Bool
  ) throws(FileSystemError) {
    try enter(.create, path)
    try base.create(path, parts: parts, modified: modified, synchronize: synchronize)
  }

  /// Renames a file.
  package func rename(_ path: String, to newPath: String, synchronize: Bool) throws(FileSystemError) {
    try enter(.rename, newPath)
    try base.rename(path, to: newPath, synchronize: synchronize)
  }

  /// Gives a file a second name.
  package func link(_ path: String, to newPath: String) throws(FileSystemError) {
    try enter(.link, newPath)
    try base.link(path, to: newPath)
  }

  /// Waits for the device.
  package func synchronize(_ path: String) throws(FileSystemError) -> Bool {
    try enter(.synchronize, path)
    return try base.synchronize(path)
  }

  /// Waits for the device.
  package func synchronizeAll(at folder: String) throws(FileSystemError) -> Bool {
    try enter(.synchronize, folder)
    return try base.synchronizeAll(at: folder)
  }

  /// Removes a file.
  package func remove(_ path: String) throws(FileSystemError) -> Bool {
    try enter(.remove, path)
    return try base.remove(path)
  }

  /// Sets a modification time.
  package func touch(_ path: String, modified: Date) throws(FileSystemError) {
    try enter(.touch, path)
    try base.touch(path, modified: modified)
  }

  /// Asks what a file is.
  package func status(_ path: String) throws(FileSystemError) -> FileStatus? {
    try enter(.status, path)
    return try base.status(path)
  }

  /// Lists a folder.
  package func list(
    _ folder: String, _ body: (_ name: String, _ status: FileStatus) -> Void
  ) throws(FileSystemError) {
    try enter(.list, folder)
    try base.list(folder, body)
  }

  /// Asks for the owner.
  package func checkOwner(of folder: String) throws(FileSystemError) { try base.checkOwner(of: folder) }

  /// Asks for the free space.
  package func space(at folder: String) throws(FileSystemError) -> FileSystemSpace? {
    try enter(.space, folder)
    guard let space = journal.entries.space else { return try base.space(at: folder) }
    return space().map { FileSystemSpace(total: $0.total, available: $0.available) }
  }

  /// Makes folders.
  package func makeFolder(_ path: String) throws(FileSystemError) {
    try enter(.makeFolder, path)
    try base.makeFolder(path)
  }
}

private struct FaultyFile: FileReading {
  let base: any FileReading
  let path: String
  let owner: FaultyFileSystem

  var status: FileStatus { base.status }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    try owner.enter(.read, path)
    return try base.read(at: offset, into: buffer)
  }
}

private struct FaultySharedFile: SharedFile {
  let base: any SharedFile
  let path: String
  let owner: FaultyFileSystem

  var status: FileStatus { base.status }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    try owner.enter(.read, path)
    return try base.read(at: offset, into: buffer)
  }

  func currentStatus() throws(FileSystemError) -> FileStatus {
    try owner.enter(.status, path)
    return try base.currentStatus()
  }

  func append(_ data: Data, synchronize: Bool) throws(FileSystemError) {
    try owner.enter(.append, path)
    try base.append(data, synchronize: synchronize)
  }

  func overwrite(_ data: Data) throws(FileSystemError) {
    try owner.enter(.overwrite, path)
    try base.overwrite(data)
  }

  func truncate(to length: Int) throws(FileSystemError) {
    try owner.enter(.truncate, path)
    try base.truncate(to: length)
  }

  func tryLock() throws(FileSystemError) -> Bool {
    try owner.enter(.lock, path)
    return try base.tryLock()
  }

  func unlock() { base.unlock() }
}
