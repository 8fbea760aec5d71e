-- The shape of a file of Prisma Migrate.
-- https://www.prisma.io/docs/orm/v6/overview/databases/sqlite
-- https://www.prisma.io/docs/orm/prisma-migrate/getting-started
-- A DateTime is milliseconds (the native driver) or ISO 8601 text (a driver adapter), in one column.
-- moment user.createdAt = createdAt / 1000.0
-- moment user.seenAt = strftime('%s', seenAt) + ('0' || substr(seenAt, 20, 4))
-- moment post.publishedAt = CASE typeof(publishedAt) WHEN 'text' THEN strftime('%s', publishedAt) + ('0' || substr(publishedAt, 20, 4)) ELSE publishedAt / 1000.0 END
-- moment _prisma_migrations.finished_at = finished_at / 1000.0
-- moment _prisma_migrations.started_at = started_at / 1000.0

CREATE TABLE "user" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "email" TEXT NOT NULL,
    "name" TEXT,
    "balance" DECIMAL NOT NULL DEFAULT 0,
    "score" REAL,
    "views" BIGINT NOT NULL DEFAULT 0,
    "isAdmin" BOOLEAN NOT NULL DEFAULT false,
    "avatar" BLOB,
    "settings" JSONB,
    "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seenAt" DATETIME
);
CREATE UNIQUE INDEX "user_email_key" ON "user"("email");
CREATE TABLE "post" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "title" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'DRAFT',
    "price" DECIMAL,
    "publishedAt" DATETIME,
    "authorId" INTEGER NOT NULL,
    "editorId" INTEGER,
    CONSTRAINT "post_authorId_fkey" FOREIGN KEY ("authorId") REFERENCES "user" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "post_editorId_fkey" FOREIGN KEY ("editorId") REFERENCES "user" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE INDEX "post_authorId_publishedAt_idx" ON "post"("authorId", "publishedAt" DESC);
CREATE TABLE "vote" (
    "postId" TEXT NOT NULL,
    "userId" INTEGER NOT NULL,
    "weight" DECIMAL NOT NULL,

    PRIMARY KEY ("postId", "userId"),
    CONSTRAINT "vote_postId_fkey" FOREIGN KEY ("postId") REFERENCES "post" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE TABLE "_postToTag" (
    "A" TEXT NOT NULL,
    "B" INTEGER NOT NULL,
    CONSTRAINT "_postToTag_A_fkey" FOREIGN KEY ("A") REFERENCES "post" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "_postToTag_AB_unique" ON "_postToTag"("A", "B");
CREATE INDEX "_postToTag_B_index" ON "_postToTag"("B");
CREATE TABLE "_prisma_migrations" (
    "id"                    TEXT PRIMARY KEY NOT NULL,
    "checksum"              TEXT NOT NULL,
    "finished_at"           DATETIME,
    "migration_name"        TEXT NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        DATETIME,
    "started_at"            DATETIME NOT NULL DEFAULT current_timestamp,
    "applied_steps_count"   INTEGER UNSIGNED NOT NULL DEFAULT 0
);

INSERT INTO "_prisma_migrations" VALUES
  ('4f9c', 'aa01', 1714979289200, '20240506070809_init', NULL, NULL, 1714979289123, 1),
  ('5a0d', 'bb02', NULL, '20240601000000_vote', '', NULL, 1717200000000, 0);
INSERT INTO "user" VALUES
  (1, 'ada@example.org', 'Ada', 10, 4.5, 9007199254740993, true, x'0001', '{"theme":"dark"}', 1714979289123, '2024-05-06T07:08:09.123+00:00'),
  (2, 'Grace@example.org', NULL, 2.5, 3.0, 0, false, NULL, NULL, 1714979289000, '2024-05-06T07:08:09.000+00:00'),
  (5, 'x', '', 0, NULL, -1, false, x'', '[]', 0, NULL);
INSERT INTO "post" VALUES
  ('clx0', 'First', 'PUBLISHED', 12, 1714979289123, 1, 2),
  ('clx1', 'Second', 'DRAFT', 9.99, '2024-05-06T07:08:09.456+00:00', 1, NULL),
  ('clx2', 'Third', 'DRAFT', NULL, NULL, 5, NULL);
INSERT INTO "vote" VALUES ('clx1', 1, 1), ('clx0', 2, 0.5), ('clx0', 1, 2);
INSERT INTO "_postToTag" VALUES ('clx1', 2), ('clx0', 1);
