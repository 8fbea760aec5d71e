import SwiftSyntax

extension Property {
  private static let escapedLabels = ["inout", "var", "let", "_"]

  /// True if the name can be a label without backticks. The compiler warns about needless
  /// backticks.
  var isLabel: Bool {
    name == plainName || isWord && !Self.escapedLabels.contains(plainName)
  }

  /// True if the name consists of ASCII letters, digits and underscores, as a name without
  /// backticks can.
  var isWord: Bool {
    !(plainName.utf8.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? true)
      && plainName.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}

extension StructDeclSyntax {
  /// True if the compiler certainly synthesizes the memberwise initializer, for any isolation.
  ///
  /// See [Memberwise Initializers for Structure
  /// Types](https://docs.swift.org/swift-book/documentation/the-swift-programming-language/initialization/#Memberwise-Initializers-for-Structure-Types).
  var hasMemberwiseInitializer: Bool {
    // The attributes of other macros do not count as safe: such a macro may add an initializer.
    attributes.areOnly("Table", "Selection", "available")
      && memberBlock.members.allSatisfy { $0.decl.leavesMemberwiseInitializer }
  }
}

extension DeclSyntax {
  fileprivate var leavesMemberwiseInitializer: Bool {
    if let variable = self.as(VariableDeclSyntax.self) {
      return variable.isStored ? variable.isPlainlyStored : !variable.hasInitAccessor
    }
    return !self.is(InitializerDeclSyntax.self) && !self.is(IfConfigDeclSyntax.self)
      && !self.is(MacroExpansionDeclSyntax.self)
  }
}

extension VariableDeclSyntax {
  /// True if the property is a parameter of the memberwise initializer with the same type, and its
  /// default needs no isolation.
  fileprivate var isPlainlyStored: Bool {
    attributes.areOnly("Column", "Embedded", "Transient")
      && !modifiers.contains { ["lazy", "weak", "unowned"].contains($0.name.text) }
      && bindings.allSatisfy { binding in
        binding.initializer.map { $0.value.isLiteral || $0.value.is(NilLiteralExprSyntax.self) }
          ?? true
      }
  }

  /// True for a computed property with an init accessor, which is a parameter of the memberwise
  /// initializer.
  fileprivate var hasInitAccessor: Bool {
    bindings.contains { binding in
      guard case .accessors(let accessors)? = binding.accessorBlock?.accessors else { return false }
      return accessors.contains { $0.accessorSpecifier.text == "init" }
    }
  }
}

extension AttributeListSyntax {
  func areOnly(_ names: String...) -> Bool {
    allSatisfy { element in
      guard let name = element.as(AttributeSyntax.self)?.attributeName.trimmedDescription else {
        return false
      }
      return names.contains { name == $0 || name == "MiniORM.\($0)" }
    }
  }
}
