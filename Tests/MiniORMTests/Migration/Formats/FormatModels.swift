import Foundation

@testable import MiniORM

// Tables with a required and an optional column in a single format.

protocol FormatModel: PrimaryKeyedModel where PrimaryKey == Int64 {
  associatedtype Value: Sendable
  var id: Int64 { get }
  var value: Value { get }
}

enum FormatSize: String, ColumnValue { case small, large, one = "1" }
enum FormatLevel: Int, ColumnValue { case low = 0, high = 1, top = 1_000 }
struct FormatName: RawRepresentable, ColumnValue, Equatable { var rawValue: String }
struct FormatCount: ColumnValue, Equatable {
  var number: Int64
  static var columnType: ColumnType { .integer }
  init(cell: borrowing Cell) throws(DatabaseError) { number = try Int64(cell: cell) }
  func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try number.bind(to: parameter)
  }
}
struct FormatCelsius: ColumnValue, Equatable {
  var degrees: Double
  static var columnType: ColumnType { .real }
  init(cell: borrowing Cell) throws(DatabaseError) { degrees = try Double(cell: cell) }
  func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try degrees.bind(to: parameter)
  }
}
struct FormatPoint: Codable, Sendable, Equatable { var x: Int }

enum FormatModels {
  @Table("box") struct OfInt: FormatModel { let id: Int64; var value: Int }
  @Table("box") struct OfInt8: FormatModel { let id: Int64; var value: Int8 }
  @Table("box") struct OfInt32: FormatModel { let id: Int64; var value: Int32 }
  @Table("box") struct OfUInt16: FormatModel { let id: Int64; var value: UInt16 }
  @Table("box") struct OfUInt64: FormatModel { let id: Int64; var value: UInt64 }
  @Table("box") struct OfBool: FormatModel { let id: Int64; var value: Bool }
  @Table("box") struct OfDouble: FormatModel { let id: Int64; var value: Double }
  @Table("box") struct OfFloat: FormatModel { let id: Int64; var value: Float }
  @Table("box") struct OfString: FormatModel { let id: Int64; var value: String }
  @Table("box") struct OfData: FormatModel { let id: Int64; var value: Data }
  @Table("box") struct OfDate: FormatModel { let id: Int64; var value: Date }
  @Table("box") struct OfSeconds: FormatModel {
    let id: Int64
    @Column(as: .unixSeconds) var value: Date
  }
  @Table("box") struct OfMilliseconds: FormatModel {
    let id: Int64
    @Column(as: .unixMilliseconds) var value: Date
  }
  @Table("box") struct OfUUID: FormatModel { let id: Int64; var value: UUID }
  @Table("box") struct OfUUIDBytes: FormatModel {
    let id: Int64
    @Column(as: .uuidBytes) var value: UUID
  }
  @Table("box") struct OfUppercaseUUID: FormatModel {
    let id: Int64
    @Column(as: .uppercaseUUID) var value: UUID
  }
  @Table("box") struct OfISO8601: FormatModel {
    let id: Int64
    @Column(as: .iso8601) var value: Date
  }
  @Table("box") struct OfSecondsReal: FormatModel {
    let id: Int64
    @Column(as: .unixSecondsReal) var value: Date
  }
  @Table("box") struct OfTextSeconds: FormatModel {
    let id: Int64
    @Column(as: .textSeconds) var value: Date
  }
  @Table("box") struct OfURL: FormatModel { let id: Int64; var value: URL }
  @Table("box") struct OfDecimal: FormatModel { let id: Int64; var value: Decimal }
  @Table("box") struct OfDecimal0: FormatModel {
    let id: Int64
    @Column(as: .decimal(scale: 0)) var value: Decimal
  }
  @Table("box") struct OfDecimal2: FormatModel {
    let id: Int64
    @Column(as: .decimal(scale: 2)) var value: Decimal
  }
  @Table("box") struct OfDecimal3: FormatModel {
    let id: Int64
    @Column(as: .decimal(scale: 3)) var value: Decimal
  }
  @Table("box") struct OfInts: FormatModel {
    let id: Int64
    @Column(as: .json) var value: [Int]
  }
  @Table("box") struct OfStrings: FormatModel {
    let id: Int64
    @Column(as: .json) var value: [String]
  }
  @Table("box") struct OfPoint: FormatModel {
    let id: Int64
    @Column(as: .json) var value: FormatPoint
  }
  @Table("box") struct OfSize: FormatModel { let id: Int64; var value: FormatSize }
  @Table("box") struct OfLevel: FormatModel { let id: Int64; var value: FormatLevel }
  @Table("box") struct OfName: FormatModel { let id: Int64; var value: FormatName }
  @Table("box") struct OfCount: FormatModel { let id: Int64; var value: FormatCount }
  @Table("box") struct OfCelsius: FormatModel { let id: Int64; var value: FormatCelsius }
  @Table("box") struct OfValue: FormatModel { let id: Int64; var value: DatabaseValue }
  @Table("box", options: []) struct OfLooseText: FormatModel {
    let id: Int64
    @Column(.type("VARCHAR(9)")) var value: String
  }

  @Table("box") struct Int_: FormatModel { let id: Int64; var value: Int? }
  @Table("box") struct Bool_: FormatModel { let id: Int64; var value: Bool? }
  @Table("box") struct Double_: FormatModel { let id: Int64; var value: Double? }
  @Table("box") struct String_: FormatModel { let id: Int64; var value: String? }
  @Table("box") struct Date_: FormatModel { let id: Int64; var value: Date? }
  @Table("box") struct Seconds_: FormatModel {
    let id: Int64
    @Column(as: .unixSeconds) var value: Date?
  }
  @Table("box") struct Milliseconds_: FormatModel {
    let id: Int64
    @Column(as: .unixMilliseconds) var value: Date?
  }
  @Table("box") struct UUIDBytes_: FormatModel {
    let id: Int64
    @Column(as: .uuidBytes) var value: UUID?
  }
  @Table("box") struct Decimal2_: FormatModel {
    let id: Int64
    @Column(as: .decimal(scale: 2)) var value: Decimal?
  }
  @Table("box") struct Strings_: FormatModel {
    let id: Int64
    @Column(as: .json) var value: [String]?
  }

  static let all: [any FormatModel.Type] = [
    OfInt.self, OfInt8.self, OfInt32.self, OfUInt16.self, OfUInt64.self, OfBool.self,
    OfDouble.self, OfFloat.self, OfString.self, OfData.self, OfDate.self, OfSeconds.self,
    OfMilliseconds.self, OfISO8601.self, OfUUID.self, OfUUIDBytes.self, OfUppercaseUUID.self,
    OfURL.self, OfDecimal.self,
    OfDecimal0.self, OfDecimal2.self, OfDecimal3.self, OfInts.self, OfStrings.self, OfPoint.self,
    OfSize.self, OfLevel.self, OfName.self, OfCount.self, OfCelsius.self, OfValue.self,
    OfLooseText.self, Int_.self, Bool_.self, Double_.self, String_.self, Date_.self,
    Seconds_.self, Milliseconds_.self, UUIDBytes_.self, Decimal2_.self, Strings_.self,
    OfSecondsReal.self,
    OfTextSeconds.self,
  ]
}
