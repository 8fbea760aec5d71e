-- The shape of a file of TypeORM.
-- https://typeorm.io/docs/entity/entities
-- https://typeorm.io/docs/indexes-and-constraints/indices
-- https://typeorm.io/docs/entity/view-entities
-- Dates that the program writes have three digits; those of a default have none, in the same column.
-- moment photo.createdAt = strftime('%s', createdAt) + ('0' || substr(createdAt, 20))
-- moment photo.updatedAt = strftime('%s', updatedAt) + ('0' || substr(updatedAt, 20))
-- moment photo.takenOn = strftime('%s', takenOn)
-- moment photo.deletedAt = strftime('%s', deletedAt) + ('0' || substr(deletedAt, 20))

CREATE TABLE "migrations" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "timestamp" bigint NOT NULL, "name" varchar NOT NULL);
CREATE TABLE "typeorm_metadata" ("type" varchar(255) NOT NULL, "database" varchar(255), "schema" varchar(255), "table" varchar(255), "name" varchar(255), "value" text);
CREATE TABLE "author" ("id" varchar PRIMARY KEY NOT NULL, "nick" varchar(40) COLLATE "NOCASE" NOT NULL, "role" varchar CHECK( "role" IN ('admin','editor','ghost') ) NOT NULL DEFAULT ('ghost'), CONSTRAINT "UQ_3f0b1c2d4e5f60718293a4b5c6d" UNIQUE ("nick"));
CREATE TABLE "photo" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "title" varchar(100) NOT NULL, "views" integer NOT NULL DEFAULT (0), "price" decimal(8,2), "width" double, "isPublic" boolean NOT NULL DEFAULT (1), "tags" text, "meta" text DEFAULT ('{}'), "raw" blob, "label" varchar AS ("title" || '!') STORED, "takenOn" date, "createdAt" datetime NOT NULL DEFAULT (datetime('now')), "updatedAt" datetime NOT NULL DEFAULT (datetime('now')), "deletedAt" datetime, "authorId" varchar, CONSTRAINT "REL_1a2b3c4d5e6f70819293949596" UNIQUE ("authorId", "title"), CONSTRAINT "CHK_9f8e7d6c5b4a39281706f5e4d3" CHECK ("views" >= 0), CONSTRAINT "FK_0a1b2c3d4e5f60718293a4b5c6d" FOREIGN KEY ("authorId") REFERENCES "author" ("id") ON DELETE SET NULL ON UPDATE NO ACTION);
CREATE INDEX "IDX_title_public" ON "photo" ("title") WHERE isPublic = 1;
CREATE TABLE "album_closure" ("id_ancestor" integer NOT NULL, "id_descendant" integer NOT NULL, PRIMARY KEY ("id_ancestor", "id_descendant"));
CREATE INDEX "IDX_closure_ancestor" ON "album_closure" ("id_ancestor") ;
CREATE VIEW "photo_author" AS SELECT "p"."title" AS "title", "a"."nick" AS "nick", "p"."price" * 2 AS "double price" FROM "photo" "p" LEFT JOIN "author" "a" ON "a"."id" = "p"."authorId";

INSERT INTO "migrations" VALUES (1, 1714979289123, 'Init1714979289123');
INSERT INTO "typeorm_metadata" VALUES
  ('VIEW', NULL, NULL, NULL, 'photo_author', 'SELECT "p"."title" FROM "photo" "p"'),
  ('GENERATED_COLUMN', 'app.db', NULL, 'photo', 'label', '"title" || ''!''');
INSERT INTO "author" VALUES ('6b1f7c1e-0d2c-4a3b-9c4d-5e6f7a8b9c0d', 'Ansel', 'admin'), ('00000000-0000-0000-0000-000000000000', 'nobody', 'ghost');
INSERT INTO "photo" ("id", "title", "views", "price", "width", "isPublic", "tags", "meta", "raw", "takenOn", "createdAt", "updatedAt", "deletedAt", "authorId") VALUES
  (1, 'Moon', 10, 100, 1024.5, 1, 'night,sky', '{"iso":100}', x'ffd8', '1941-11-01', '2024-05-06 07:08:09', '2024-05-06 07:08:09.123', NULL, '6b1f7c1e-0d2c-4a3b-9c4d-5e6f7a8b9c0d'),
  (2, 'Half Dome', 0, 9.5, 800.0, 0, '', NULL, NULL, NULL, '2024-05-06 07:08:09.000', '2024-05-06 07:08:09.500', '2024-05-07 00:00:00.000', NULL),
  (5, 'Dune', 3, NULL, NULL, 1, NULL, '[]', x'', '2024-02-29', '2024-05-06 07:08:10', '2024-05-06 07:08:10', NULL, NULL);
INSERT INTO "album_closure" VALUES (2, 2), (1, 2), (1, 1);
