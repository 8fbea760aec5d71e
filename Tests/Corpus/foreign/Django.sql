-- The shape of a file of Django: migrations on SQLite.
-- https://docs.djangoproject.com/en/5.2/ref/databases/#sqlite-notes
-- https://docs.djangoproject.com/en/5.2/ref/models/fields/
-- https://docs.djangoproject.com/en/5.2/ref/models/constraints/
-- A datetime has six digits, or none if the microseconds are 0. UUIDs are 32 hexadecimal digits.
-- moment django_migrations.applied = strftime('%s', applied) + ('0' || substr(applied, 20))
-- moment shop_customer.birthday = strftime('%s', birthday)
-- moment shop_customer.joined = strftime('%s', joined) + ('0' || substr(joined, 20))
-- moment shop_order.placed = strftime('%s', placed) + ('0' || substr(placed, 20))
-- moment shop_order.deliver_at = strftime('%s', '1970-01-01 ' || deliver_at)
-- moment django_session.expire_date = strftime('%s', expire_date) + ('0' || substr(expire_date, 20))

CREATE TABLE "django_migrations" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "app" varchar(255) NOT NULL, "name" varchar(255) NOT NULL, "applied" datetime NOT NULL);
CREATE TABLE "django_session" ("session_key" varchar(40) NOT NULL PRIMARY KEY, "session_data" text NOT NULL, "expire_date" datetime NOT NULL);
CREATE INDEX "django_session_expire_date_a5c62663" ON "django_session" ("expire_date");
CREATE TABLE "shop_customer" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "email" varchar(254) NOT NULL COLLATE NOCASE UNIQUE, "token" char(32) NOT NULL UNIQUE, "birthday" date NULL, "joined" datetime NOT NULL, "credit" decimal NOT NULL, "rating" real NULL, "visits" integer unsigned NOT NULL CHECK ("visits" >= 0), "is_active" bool NOT NULL, "picture" BLOB NULL, "address" char(39) NULL, CONSTRAINT "credit_limit" CHECK ("credit" >= '-100'));
CREATE TABLE "shop_order" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "total" decimal NOT NULL, "placed" datetime NOT NULL, "deliver_at" time NULL, "duration" bigint NULL, "paid" bool NULL, "meta" text NOT NULL CHECK ((JSON_VALID("meta") OR "meta" IS NULL)), "side" smallint NOT NULL, "area" integer GENERATED ALWAYS AS ((("side" * "side"))) STORED, "customer_id" bigint NOT NULL REFERENCES "shop_customer" ("id") DEFERRABLE INITIALLY DEFERRED);
CREATE INDEX "shop_order_customer_id_4c1d9f0b" ON "shop_order" ("customer_id");
CREATE UNIQUE INDEX "one_unpaid_order" ON "shop_order" ("customer_id") WHERE NOT "paid";
CREATE INDEX "order_total_idx" ON "shop_order" ((ABS("total")) DESC, "placed");
CREATE TABLE "shop_order_tags" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "order_id" bigint NOT NULL REFERENCES "shop_order" ("id") DEFERRABLE INITIALLY DEFERRED, "tag" varchar(20) NOT NULL);
CREATE UNIQUE INDEX "shop_order_tags_order_id_tag_7f3e_uniq" ON "shop_order_tags" ("order_id", "tag");

INSERT INTO django_migrations VALUES (1, 'shop', '0001_initial', '2024-05-06 07:08:09.123456'), (2, 'shop', '0002_token', '2024-05-06 07:08:10');
INSERT INTO django_session VALUES ('0a1b', 'e30:1s', '2024-05-20 07:08:09.000400');
INSERT INTO shop_customer VALUES
  (1, 'Ada@Example.org', '00112233445566778899aabbccddeeff', '1815-12-10', '2024-05-06 07:08:09', '12.50', 4.5, 3, 1, NULL, '::1'),
  (2, 'grace@example.org', 'ffeeddccbbaa99887766554433221100', NULL, '2024-05-06 07:08:09.500000', '100', 5.0, 0, 0, x'00010203', NULL);
INSERT INTO shop_order (id, total, placed, deliver_at, duration, paid, meta, side, customer_id) VALUES
  (1, '20', '2024-05-06 07:08:09.123456', '08:30:00', 86400000000, 1, '{"gift": true}', 3, 1),
  (2, '19.99', '2024-05-06 07:08:09', '23:59:59.000001', NULL, 0, '[]', -2, 1),
  (4, '0.1', '2038-01-19 03:14:08', NULL, 1, NULL, 'null', 0, 2);
INSERT INTO shop_order_tags VALUES (1, 1, 'new'), (2, 1, 'gift'), (3, 4, 'new');
