#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The types whose values are equal to what is read after they were bound.
///
/// No type of the user's is one of them, and no enumeration, for a program may read and bind its cases as it likes; nor is
/// a type with several texts for a value, as `URL` and JSON have.
enum KeptTypes {
  private static let all: Set<ObjectIdentifier> = {
    let types: [any Any.Type] = [
      Int.self, Int8.self, Int16.self, Int32.self, Int64.self,
      UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self,
      Bool.self, Double.self, Float.self, String.self, Data.self, [UInt8].self, Date.self,
      UUID.self,
    ]
    return Set(types.map { ObjectIdentifier($0) })
  }()

  static func contain(_ type: (any Any.Type)?) -> Bool {
    type.map { all.contains(ObjectIdentifier($0)) } ?? false
  }
}
