// swift-tools-version: 6.3
import CompilerPluginSupport
import PackageDescription

let package = Package(
  name: "MiniORM",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "MiniORM", targets: ["MiniORM"]),
    .library(name: "MiniORMBackup", targets: ["MiniORMBackup"]),
    .library(name: "MiniORMBackupS3", targets: ["MiniORMBackupS3"]),
    .library(name: "MiniORMRepair", targets: ["MiniORMRepair"]),
    // For test targets: the target imports Testing, and is built only by packages that use it.
    .library(name: "MiniORMTesting", targets: ["MiniORMTesting"]),
    .executable(name: "atlas", targets: ["Atlas"]),
  ],
  dependencies: [
    // Several major versions, since an application shares it with other packages' macros. Older ones
    // cannot replace text in a fix-it.
    .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0")
  ],
  targets: [
    .target(
      name: "MiniORM",
      dependencies: ["CSQLCipher", "MiniORMMacros"],
      // The root is the target's folder so that Docs.docc, which stands there, belongs to it.
      path: ".",
      exclude: [
        ".ci", "Benchmarks", "CHANGELOG.md", "CONTRIBUTING.md", "Design", "Examples", "LICENSE",
        "Makefile", "README.md",
        "Sources/CCurl", "Sources/COpenSSL", "Sources/CSQLCipher", "Sources/MiniORMBackup",
        "Sources/MiniORMBackupS3", "Sources/MiniORMMacros", "Sources/MiniORMRepair",
        "Sources/MiniORMTesting", "Sources/MiniORMTool", "Tests", "scripts",
      ],
      sources: ["Sources/MiniORM"]
    ),
    .macro(
      name: "MiniORMMacros",
      dependencies: [
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftIfConfig", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
      ]
    ),
    .target(name: "MiniORMBackup", dependencies: ["CSQLCipher", "MiniORM"]),
    .target(name: "MiniORMBackupS3", dependencies: ["MiniORM", "MiniORMBackup"]),
    .target(name: "MiniORMRepair", dependencies: ["CSQLCipher", "MiniORM"]),
    .target(name: "MiniORMTesting", dependencies: ["MiniORM"]),
    .executableTarget(name: "Atlas", dependencies: ["MiniORM"], path: "Examples/Atlas"),
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .target(name: "CSystemFaults", path: "Tests/CSystemFaults"),
    .testTarget(
      name: "MiniORMTests",
      dependencies: ["MiniORM", "MiniORMRepair", "CSQLCipher", "CSystemFaults", "TestSupport"]),
    .target(
      name: "BackupTestSupport", dependencies: ["MiniORMBackup"], path: "Tests/BackupTestSupport"),
    .testTarget(
      name: "MiniORMBackupTests",
      dependencies: ["BackupTestSupport", "MiniORM", "MiniORMBackup", "TestSupport"]),
    .testTarget(
      name: "MiniORMBackupS3Tests",
      dependencies: ["BackupTestSupport", "MiniORMBackup", "MiniORMBackupS3", "TestSupport"]),
    .testTarget(
      name: "MiniORMTestingTests", dependencies: ["MiniORM", "MiniORMTesting"],
      exclude: ["Schemas"]),
  ],
  swiftLanguageModes: [.v6]
)

// SQLCipher. The manifest is compiled on the machine that builds, so this asks which machine that
// is, and not which one it builds for: from macOS for Linux does not work. A condition of the
// dependencies, `.when(platforms:)`, would have every Linux machine fetch Zetetic's package.
#if os(macOS)
  // Not exercised by this project's CI, which runs on Linux.
  package.dependencies.append(
    .package(url: "https://github.com/sqlcipher/SQLCipher.swift", from: "4.10.0"))
  package.targets.append(
    .target(
      name: "CSQLCipher",
      dependencies: [.product(name: "SQLCipher", package: "SQLCipher.swift")],
      publicHeadersPath: "."
    ))
#else
  let aptPackages = ["libsqlcipher-dev", "libssl-dev"]
  package.targets += [
    .systemLibrary(
      name: "CSQLCipher", pkgConfig: "sqlcipher",
      providers: [.apt(aptPackages), .yum(["sqlcipher-devel"])]),
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "libcrypto",
      providers: [.apt(aptPackages), .yum(["openssl-devel"])]),
    // Without pkgConfig: SwiftPM would print a warning on each machine without libcurl's headers,
    // although only MiniORMBackupS3 needs them.
    .systemLibrary(
      name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"]), .yum(["libcurl-devel"])]),
  ]
  package.targets.first { $0.name == "MiniORM" }?.dependencies.append("COpenSSL")
  package.targets.first { $0.name == "MiniORMBackupS3" }?.dependencies.append("CCurl")
#endif

// The command-line tool, where MINIORM_TOOL is set: a package that uses the library would fetch what
// the tool depends on, as SwiftPM does for products that nobody asked for.
if Context.environment["MINIORM_TOOL"] != nil {
  package.products.append(.executable(name: "miniorm", targets: ["MiniORMTool"]))
  package.dependencies.append(
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"))
  package.targets += [
    .executableTarget(
      name: "MiniORMTool",
      dependencies: [
        "MiniORM", "MiniORMBackup", "MiniORMBackupS3", "MiniORMRepair",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "MiniORMToolTests",
      dependencies: ["MiniORM", "MiniORMTool", "CSQLCipher", "TestSupport"]),
  ]
}

// MINIORM_TESTS=macros builds only the tests of the macros: SwiftPM builds all tests of a package for the
// compiler's machine, apart from the products, if one of them imports a macro's target.
// MINIORM_TESTS=threads builds only what runs under ThreadSanitizer, and gets the macros' plugin by a flag.
let onlyTargets: Set<String>? =
  switch Context.environment["MINIORM_TESTS"] {
  case "macros": ["MiniORMMacros", "MiniORMMacrosTests", "TestSupport"]
  case "threads":
    [
      "COpenSSL", "CSQLCipher", "CSystemFaults", "MiniORM", "MiniORMRepair", "MiniORMTests",
      "TestSupport",
    ]
  default: nil
  }
if let onlyTargets {
  package.targets.append(
    .testTarget(
      name: "MiniORMMacrosTests",
      dependencies: [
        "MiniORMMacros",
        "TestSupport",
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftIfConfig", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
      ]))
  package.products = []
  package.targets.removeAll { !onlyTargets.contains($0.name) }
  for target in package.targets {
    target.dependencies.removeAll {
      if case .byNameItem(let name, _) = $0 { !onlyTargets.contains(name) } else { false }
    }
  }
  package.targets.first { $0.name == "MiniORMTests" }?.sources = [
    "Database", "Maintenance", "Observation", "Support", "Watch",
  ]
}

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
}
