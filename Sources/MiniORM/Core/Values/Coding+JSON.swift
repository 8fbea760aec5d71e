#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A date in JSON: seconds since 2001, as JSONEncoder writes.
struct JSONDate: ColumnRepresentation {
  let value: Date
  static var columnType: ColumnType { .real }

  init(_ value: Date) { self.value = value }

  init(cell: borrowing Cell) throws(DatabaseError) {
    value = Date(timeIntervalSinceReferenceDate: try Double(cell: cell))
  }

  func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try value.timeIntervalSinceReferenceDate.bind(to: parameter)
  }
}

/// Bytes in JSON: base64.
struct JSONBytes: ColumnRepresentation {
  let value: Data
  static var columnType: ColumnType { .text }

  init(_ value: Data) { self.value = value }

  init(cell: borrowing Cell) throws(DatabaseError) {
    guard let data = Data(base64Encoded: try cell.text()) else {
      throw cell.invalid("Expected base64")
    }
    value = data
  }

  func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try value.base64EncodedString().bind(to: parameter)
  }
}

extension Coding where Value: ColumnValue {
  static var element: Coding {
    let others: [any StoredCoding] = [
      Coding<Date>(JSONDate.self), Coding<Date?>(JSONDate?.self),
      Coding<Data>(JSONBytes.self), Coding<Data?>(JSONBytes?.self),
    ]
    for case let other as Coding in others { return other }
    return Coding()
  }
}
