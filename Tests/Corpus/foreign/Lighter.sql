-- The shape of a file for Lighter, which generates Swift from hand-written SQL.
-- https://lighter-swift.github.io/documentation/lighter/
-- https://github.com/Lighter-swift/Lighter
-- moment person.created = unixepoch(created)
-- moment person.birthday = strftime('%s', birthday)
-- moment visit.at = at

CREATE TABLE person (
  person_id INTEGER PRIMARY KEY NOT NULL,
  firstname VARCHAR NULL,
  lastname  VARCHAR NOT NULL,
  birthday  DATE,
  created   DATETIME DEFAULT CURRENT_TIMESTAMP,
  balance   DECIMAL(10, 2),
  full_name TEXT GENERATED ALWAYS AS (ifnull(firstname || ' ', '') || lastname)
);
CREATE TABLE address (
  address_id INTEGER PRIMARY KEY NOT NULL,
  street  VARCHAR NULL,
  city    VARCHAR COLLATE NOCASE NULL,
  person_id INTEGER,
  FOREIGN KEY(person_id) REFERENCES person(person_id) ON DELETE CASCADE DEFERRABLE
);
CREATE INDEX address_city ON address (city, street COLLATE NOCASE DESC);
CREATE TABLE visit (
  person_id INTEGER NOT NULL REFERENCES person(person_id),
  at TIMESTAMP NOT NULL,
  remark TEXT,
  PRIMARY KEY (person_id, at) ON CONFLICT REPLACE
);
CREATE VIEW A_Fancy_Address_View AS SELECT p.lastname, a.street, a.city FROM person AS p LEFT JOIN address AS a USING (person_id);
CREATE TRIGGER person_rename AFTER UPDATE OF lastname ON person WHEN new.lastname <> old.lastname BEGIN
  UPDATE address SET street = street || ' (was: ' || old.lastname || ')' WHERE person_id = new.person_id;
END;

INSERT INTO person (person_id, firstname, lastname, birthday, created, balance) VALUES
  (1, 'Ada', 'Lovelace', '1815-12-10', '2024-05-06 07:08:09', 100),
  (2, NULL, 'Hopper', NULL, '2024-05-06 07:08:10', 0.5),
  (3, '', '', '1970-01-01', NULL, NULL);
INSERT INTO address VALUES (1, '12 Main St', 'london', 1), (2, NULL, 'London', 1), (3, 'Ocean', NULL, NULL);
INSERT INTO visit VALUES (2, 1714979290, NULL), (1, 1714979289.5, 'first'), (1, 1714979289, 'zero');
PRAGMA user_version = 2;
