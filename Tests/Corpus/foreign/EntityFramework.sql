-- The shape of a file of Entity Framework Core.
-- https://learn.microsoft.com/dotnet/standard/data/sqlite/types
-- https://learn.microsoft.com/ef/core/providers/sqlite/
-- https://learn.microsoft.com/ef/core/modeling/generated-properties
-- Every type but integers, doubles and bytes is TEXT: dates with up to seven digits, decimals, GUIDs, times.

CREATE TABLE "__EFMigrationsHistory" (
    "MigrationId" TEXT NOT NULL CONSTRAINT "PK___EFMigrationsHistory" PRIMARY KEY,
    "ProductVersion" TEXT NOT NULL
);
CREATE TABLE "__EFMigrationsLock" (
    "Id" INTEGER NOT NULL CONSTRAINT "PK___EFMigrationsLock" PRIMARY KEY,
    "Timestamp" TEXT NOT NULL
);
CREATE TABLE "Blogs" (
    "BlogId" INTEGER NOT NULL CONSTRAINT "PK_Blogs" PRIMARY KEY AUTOINCREMENT,
    "Url" TEXT COLLATE NOCASE NOT NULL,
    "Owner_First" TEXT NULL,
    "Owner_Last" TEXT NULL,
    "Owner" AS ("Owner_Last" || ', ' || "Owner_First") STORED,
    "Price" TEXT NOT NULL DEFAULT '0.0',
    "Rating" REAL NOT NULL,
    "Size" INTEGER NOT NULL,
    "IsPublic" INTEGER NOT NULL,
    "Founded" TEXT NOT NULL,
    "Created" TEXT NOT NULL DEFAULT (datetime('now')),
    "Changed" TEXT NULL,
    "Interval" TEXT NULL,
    "Token" TEXT NOT NULL,
    "Logo" BLOB NULL,
    "Discriminator" TEXT NOT NULL,
    CONSTRAINT "AK_Blogs_Token" UNIQUE ("Token"),
    CONSTRAINT "CK_Blogs_Size" CHECK ("Size" >= 0)
);
CREATE UNIQUE INDEX "IX_Blogs_Url" ON "Blogs" ("Url") WHERE "IsPublic" = 1;
CREATE TABLE "Posts" (
    "PostId" TEXT NOT NULL CONSTRAINT "PK_Posts" PRIMARY KEY,
    "Title" TEXT NOT NULL,
    "BlogId" INTEGER NOT NULL,
    "ParentPostId" TEXT NULL,
    CONSTRAINT "FK_Posts_Blogs_BlogId" FOREIGN KEY ("BlogId") REFERENCES "Blogs" ("BlogId") ON DELETE CASCADE,
    CONSTRAINT "FK_Posts_Posts_ParentPostId" FOREIGN KEY ("ParentPostId") REFERENCES "Posts" ("PostId") ON DELETE RESTRICT
);
CREATE INDEX "IX_Posts_BlogId_Title" ON "Posts" ("BlogId", "Title" DESC);
CREATE TABLE "PostTag" (
    "PostId" TEXT NOT NULL,
    "TagId" INTEGER NOT NULL,
    "Added" TEXT NOT NULL,
    CONSTRAINT "PK_PostTag" PRIMARY KEY ("PostId", "TagId"),
    CONSTRAINT "FK_PostTag_Posts_PostId" FOREIGN KEY ("PostId") REFERENCES "Posts" ("PostId") ON DELETE CASCADE
);

INSERT INTO "__EFMigrationsHistory" VALUES ('20240506070809_Init', '8.0.4'), ('20240601000000_Tags', '9.0.0');
INSERT INTO "__EFMigrationsLock" VALUES (1, '2024-05-06 07:08:09.1234567+00:00');
INSERT INTO "Blogs" ("BlogId", "Url", "Owner_First", "Owner_Last", "Price", "Rating", "Size", "IsPublic", "Founded", "Created", "Changed", "Interval", "Token", "Logo", "Discriminator") VALUES
  (1, 'https://Example.org/', 'Ada', 'Lovelace', '12.0', 4.5, 9223372036854775807, 1, '2024-05-06', '2024-05-06 07:08:09.1234567', '2024-05-06 09:08:09.5+02:00', '1.02:03:04.5000000', 'F9168C5E-CEB2-4FAA-B6BF-329BF39FA1E4', NULL, 'Blog'),
  (2, 'https://example.com/', NULL, 'Hopper', '0.10', 3.0, 0, 0, '0001-01-01', '2024-05-06 07:08:09', NULL, NULL, '00000000-0000-0000-0000-000000000000', x'00ff', 'RssBlog');
INSERT INTO "Posts" VALUES ('0a', 'First', 1, NULL), ('0b', 'Reply', 1, '0a'), ('0c', '', 2, NULL);
INSERT INTO "PostTag" VALUES ('0b', 1, '2024-05-06 07:08:09.12'), ('0a', 2, '2024-05-06 07:08:09.123'), ('0a', 1, '2024-05-06 00:00:00');
