import Foundation

/// An object of JSON in a line. Without a value, a key is absent.
func jsonLine(_ values: [String: Any?]) -> String {
  let line = try? JSONSerialization.data(
    withJSONObject: values.compactMapValues(\.self),
    options: [.sortedKeys, .withoutEscapingSlashes])
  return "\(line.map { String(decoding: $0, as: UTF8.self) } ?? "{}")\n"
}
