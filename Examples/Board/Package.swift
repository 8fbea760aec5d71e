// swift-tools-version: 6.3
import PackageDescription

// A separate package, so that the web server is not a dependency of MiniORM's users.
let package = Package(
  name: "Board",
  platforms: [.macOS(.v15)],
  dependencies: [
    // A symbolic link to ../.., because the last part of a path identifies a package: a clone into a
    // folder named `board` would have the identity of this package.
    .package(path: "MiniORM"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .target(
      name: "BoardServer",
      dependencies: [
        .product(name: "MiniORM", package: "MiniORM"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [.embedInCode("Page")]
    ),
    .executableTarget(name: "Board", dependencies: ["BoardServer"]),
    .testTarget(
      name: "BoardTests",
      dependencies: [
        "BoardServer",
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "MiniORMTesting", package: "MiniORM"),
      ],
      exclude: ["Schemas"]),
  ],
  swiftLanguageModes: [.v6]
)
