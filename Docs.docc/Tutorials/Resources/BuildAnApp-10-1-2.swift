import Foundation
import Testing

@testable import Journal

@Suite struct JournalTests {
  @Test(arguments: ["12x", "-3", "1,50", "", "1.2.3"])
  func noAmount(text: String) {
    #expect(Decimal(money: text) == nil)
  }
}
