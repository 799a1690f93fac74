import CSandbox
import CalotypeSupport
import FoundationEssentials
import Glibc

/// The two shared memories of a worker: the input, which it can only read, and the output. Neither can shrink, so that
/// reading them never faults.
final class SharedMemory {
  let input: FileDescriptor
  /// The input for the worker, which cannot make its mapping writable.
  let inputForReading: FileDescriptor
  let output: FileDescriptor
  private let inputBase: UnsafeMutableRawPointer
  private let outputBase: UnsafeMutableRawPointer
  private var inputCount = SandboxProcess.inputSize
  private var outputCount = SandboxProcess.outputSize
  /// Bytes of the last input.
  private var lastCount = 0

  init() throws(SandboxStartFailure) {
    func create(_ count: Int) throws(SandboxStartFailure) -> (FileDescriptor, UnsafeMutableRawPointer) {
      let number = csandbox_memory(count)
      guard number >= 0 else {
        throw SandboxStartFailure(reason: "no shared memory: \(SystemError.text(of: -number))")
      }
      let descriptor = FileDescriptor(owning: number)
      guard let base = csandbox_map(number, WorkerLoop.reservation, 1) else {
        throw SandboxStartFailure(reason: "shared memory cannot be mapped: \(SystemError.text(of: errno))")
      }
      return (descriptor, base)
    }
    (input, inputBase) = try create(SandboxProcess.inputSize)
    do throws(SandboxStartFailure) {
      let reader = csandbox_reader(input.number)
      guard reader >= 0 else {
        throw SandboxStartFailure(reason: "shared memory cannot be opened: \(SystemError.text(of: -reader))")
      }
      inputForReading = FileDescriptor(owning: reader)
      (output, outputBase) = try create(SandboxProcess.outputSize)
    } catch {
      munmap(inputBase, WorkerLoop.reservation)
      throw error
    }
  }

  deinit {
    munmap(inputBase, WorkerLoop.reservation)
    munmap(outputBase, WorkerLoop.reservation)
  }

  /// The memory for results. The worker may change it at any time.
  var results: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: outputBase, count: outputCount) }

  /// Copies an input.
  func setInput(_ data: Data) throws(WorkerFailure) {
    if data.count > inputCount {
      guard data.count <= WorkerLoop.reservation else { throw .outOfMemory(byteCount: data.count) }
      let status = csandbox_grow(input.number, data.count)
      guard status == 0 else { throw .system(-status) }
      inputCount = data.count
    }
    data.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress { inputBase.copyMemory(from: base, byteCount: bytes.count) }
    }
    // A decoder that reads behind its input does not find another one there.
    if data.count < lastCount { memset(inputBase + data.count, 0, lastCount - data.count) }
    lastCount = data.count
  }

  /// Makes room for a further result.
  func growOutput(by count: Int) throws(WorkerFailure) {
    let wanted = outputCount + count + (64 << 10)
    guard wanted <= WorkerLoop.reservation else { throw .outOfMemory(byteCount: count) }
    let status = csandbox_grow(output.number, wanted)
    guard status == 0 else { throw .system(-status) }
    outputCount = wanted
  }

  /// Returns all pages to the system; the sizes remain.
  func release() {
    _ = csandbox_release(input.number, 0, inputCount)
    lastCount = 0
    _ = csandbox_release(output.number, 0, outputCount)
  }
}
