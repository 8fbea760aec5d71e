import Foundation

extension Date {
  private static let style = ISO8601FormatStyle()
    .year().month().day()

  init?(day: some StringProtocol) {
    try? self.init(String(day), strategy: Self.style)
  }

  var day: String { formatted(Self.style) }
}
