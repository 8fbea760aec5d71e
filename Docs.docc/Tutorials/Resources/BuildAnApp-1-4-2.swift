import Foundation

extension Date {
  private static let style = ISO8601FormatStyle()
    .year().month().day()

  init?(day: some StringProtocol) {
    try? self.init(String(day), strategy: Self.style)
  }

  var day: String { formatted(Self.style) }
}

extension Decimal {
  init?(money: some StringProtocol) {
    guard money.allSatisfy("0123456789.".contains)
    else { return nil }
    self.init(string: String(money))
  }
}
