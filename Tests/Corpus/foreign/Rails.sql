-- The shape of a file of Ruby on Rails: Active Record migrations on SQLite.
-- https://guides.rubyonrails.org/active_record_migrations.html
-- https://api.rubyonrails.org/classes/ActiveRecord/ConnectionAdapters/SQLite3Adapter.html
-- A decimal is bound as a float, so that NUMERIC stores whole prices as integers. Dates have six digits.
-- moment makers.created_at = strftime('%s', created_at) + ('0' || substr(created_at, 20))
-- moment makers.updated_at = strftime('%s', updated_at) + ('0' || substr(updated_at, 20))
-- moment instruments.sold_on = strftime('%s', sold_on)
-- moment instruments.opens_at = strftime('%s', opens_at) + ('0' || substr(opens_at, 20))
-- moment instruments.created_at = strftime('%s', created_at) + ('0' || substr(created_at, 20))
-- moment instruments.updated_at = strftime('%s', updated_at) + ('0' || substr(updated_at, 20))
-- moment ar_internal_metadata.created_at = strftime('%s', created_at) + ('0' || substr(created_at, 20))
-- moment ar_internal_metadata.updated_at = strftime('%s', updated_at) + ('0' || substr(updated_at, 20))

CREATE TABLE IF NOT EXISTS "schema_migrations" ("version" varchar NOT NULL PRIMARY KEY);
CREATE TABLE IF NOT EXISTS "ar_internal_metadata" ("key" varchar NOT NULL PRIMARY KEY, "value" varchar, "created_at" datetime(6) NOT NULL, "updated_at" datetime(6) NOT NULL);
CREATE TABLE IF NOT EXISTS "makers" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "name" varchar COLLATE "NOCASE" NOT NULL, "country" varchar(2) DEFAULT 'FR' NOT NULL, "motto" text, "created_at" datetime(6) NOT NULL, "updated_at" datetime(6) NOT NULL);
CREATE UNIQUE INDEX "index_makers_on_name" ON "makers" ("name");
CREATE TABLE IF NOT EXISTS "instruments" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "maker_id" integer NOT NULL, "title" varchar NOT NULL, "price" decimal(10,2) DEFAULT 0.0 NOT NULL, "discount" decimal, "weight" float, "strings" integer DEFAULT 0, "serial" bigint, "electric" boolean DEFAULT 0 NOT NULL, "sold_on" date, "opens_at" time(6), "details" json DEFAULT '{}', "photo" blob, "label" varchar GENERATED ALWAYS AS (title || ' #' || strings) STORED, "created_at" datetime(6) NOT NULL, "updated_at" datetime(6) NOT NULL, CONSTRAINT "fk_rails_8a1f0c2d3e"
FOREIGN KEY ("maker_id")
  REFERENCES "makers" ("id")
 ON DELETE CASCADE, CONSTRAINT chk_price CHECK (price >= 0));
CREATE INDEX "index_instruments_on_maker_id" ON "instruments" ("maker_id");
CREATE INDEX "index_instruments_on_lower_title" ON "instruments" (lower(title));
CREATE UNIQUE INDEX "index_instruments_on_serial" ON "instruments" ("serial" DESC) WHERE electric = 1;
CREATE TABLE IF NOT EXISTS "collectors_instruments" ("collector_id" integer NOT NULL, "instrument_id" integer NOT NULL);
CREATE UNIQUE INDEX "index_collectors_instruments" ON "collectors_instruments" ("collector_id", "instrument_id");

INSERT INTO schema_migrations VALUES ('20240506070809'), ('20240601000000');
INSERT INTO ar_internal_metadata VALUES ('environment', 'development', '2024-05-06 07:08:09.123456', '2024-05-06 07:08:09.123456');
INSERT INTO makers VALUES
  (1, 'Érard', 'FR', NULL, '2024-05-06 07:08:09.123456', '2024-05-06 07:08:09.000000'),
  (3, 'Ibanez', 'JP', '', '1999-12-31 23:59:59.999999', '2024-02-29 00:00:00.000001');
INSERT INTO instruments (id, maker_id, title, price, discount, weight, strings, serial, electric, sold_on, opens_at, details, photo, created_at, updated_at) VALUES
  (1, 1, 'Harp', 12500.0, 0.1, 36.5, 47, 9007199254740993, 0, '2024-05-06', '2000-01-01 08:30:00.000000', '{"wood":"maple"}', x'ffd8ff00', '2024-05-06 07:08:09.123456', '2024-05-06 07:08:09.123456'),
  (2, 3, 'Bass', 899.99, NULL, 4.0, 4, NULL, 1, NULL, NULL, '{}', NULL, '2024-05-06 07:08:09.000000', '2024-05-06 07:08:10.500000'),
  (7, 3, 'Guitar', 0.0, 15.0, NULL, 6, -1, 1, '1970-01-01', '2000-01-01 23:59:59.250000', NULL, x'', '2024-05-06 07:08:09.120000', '2024-05-06 07:08:09.999000');
INSERT INTO collectors_instruments VALUES (2, 1), (1, 7), (1, 1);
