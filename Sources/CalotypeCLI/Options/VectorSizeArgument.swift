import ArgumentParser
import Calotype

/// The size of a drawing: a factor such as `2`, or a box such as `800x600`, `800x` or `x600`.
struct VectorSizeArgument: ExpressibleByArgument {
  let value: VectorSize

  init?(argument: String) {
    if let box = BoxArgument(argument: argument) {
      value = .box(box.size)
    } else if let factor = Double(argument), factor.isFinite, factor > 0 {
      value = .scale(factor)
    } else {
      return nil
    }
  }
}
