-- Tables of Lemmy 0.19 with the columns that matter, and what is private under names with "secret".
CREATE TYPE community_visibility AS ENUM ('Public', 'LocalOnly');
CREATE TABLE __diesel_schema_migrations (version varchar(50) PRIMARY KEY, run_on timestamp DEFAULT now());
INSERT INTO __diesel_schema_migrations VALUES ('20231206180359'), ('20250729152743');
CREATE TABLE person (id int PRIMARY KEY, name varchar NOT NULL, display_name varchar, banned bool DEFAULT false,
    actor_id varchar NOT NULL, bio text DEFAULT 'secret bio', private_key text DEFAULT 'secret key',
    deleted bool DEFAULT false, bot_account bool DEFAULT false, ban_expires timestamptz);
CREATE TABLE local_user (id int PRIMARY KEY, person_id int, password_encrypted text, email text);
CREATE TABLE private_message (id int PRIMARY KEY, creator_id int, recipient_id int, content text);
CREATE TABLE community (id int PRIMARY KEY, name varchar NOT NULL, title varchar NOT NULL, description text,
    removed bool DEFAULT false, published timestamptz DEFAULT '2024-01-01 10:00:00+00', deleted bool DEFAULT false,
    nsfw bool DEFAULT false, actor_id varchar NOT NULL, hidden bool DEFAULT false,
    visibility community_visibility DEFAULT 'Public');
CREATE TABLE community_follower (community_id int, person_id int,
    published timestamptz DEFAULT '2024-02-01 10:00:00+00', pending bool NOT NULL DEFAULT false);
CREATE TABLE community_person_ban (community_id int, person_id int, published timestamptz, expires timestamptz);
CREATE TABLE person_follower (person_id int, follower_id int, published timestamptz, pending bool NOT NULL);
CREATE TABLE post (id int PRIMARY KEY, name varchar NOT NULL, url varchar, body text, creator_id int NOT NULL,
    community_id int NOT NULL, removed bool DEFAULT false, published timestamptz NOT NULL, deleted bool DEFAULT false,
    nsfw bool DEFAULT false, ap_id varchar);
CREATE TABLE post_like (post_id int, person_id int, score smallint, published timestamptz NOT NULL);
CREATE TABLE comment (id int PRIMARY KEY, creator_id int, post_id int, content text, removed bool DEFAULT false,
    published timestamptz NOT NULL, deleted bool DEFAULT false);

INSERT INTO person (id, name, display_name, actor_id) VALUES (1, 'ann', E'Ann 🦉\tof "Owls"', 'https://a.example/u/ann'),
    (2, 'bob', NULL, 'https://b.example/u/bob'), (3, 'cat', '', 'https://a.example/u/cat');
INSERT INTO person (id, name, actor_id, banned, ban_expires, deleted, bot_account) VALUES
    (4, 'secret banned', 'https://a.example/u/secret4', true, NULL, false, false),
    (5, 'eve', 'https://a.example/u/eve', true, '2024-01-01', false, false),
    (6, 'secret deleted', 'https://a.example/u/secret6', false, NULL, true, false),
    (7, 'secret bot', 'https://a.example/u/secret7', false, NULL, false, true),
    (8, 'secret banned', 'https://a.example/u/secret8', true, '2999-01-01', false, false);
INSERT INTO local_user VALUES (1, 1, 'secret password', 'secret@a.example');
INSERT INTO private_message VALUES (1, 1, 2, 'secret message');
INSERT INTO community (id, name, title, description, actor_id) VALUES
    (1, 'owls', 'Owls 🦉', E'All of them\\\nand "more"', 'https://a.example/c/owls'),
    (2, 'birds', 'Birds', NULL, 'https://b.example/c/birds');
INSERT INTO community (id, name, title, actor_id, removed, deleted, nsfw, hidden, visibility) VALUES
    (3, 'r', 'secret removed', 'https://a.example/c/secret3', true, false, false, false, 'Public'),
    (4, 'd', 'secret deleted', 'https://a.example/c/secret4', false, true, false, false, 'Public'),
    (5, 'n', 'Nudes', 'https://a.example/c/nudes', false, false, true, false, 'Public'),
    (6, 'h', 'secret hidden', 'https://a.example/c/secret6', false, false, false, true, 'Public'),
    (7, 'l', 'secret local', 'https://a.example/c/secret7', false, false, false, false, 'LocalOnly');
INSERT INTO community_follower (community_id, person_id)
    SELECT c, p FROM generate_series(1, 7) AS c, generate_series(1, 8) AS p WHERE (c, p) <> (2, 3);
UPDATE community_follower SET pending = true WHERE (community_id, person_id) = (1, 5);
INSERT INTO community_person_ban VALUES (2, 2, now(), NULL), (1, 1, now(), '2024-01-01');
INSERT INTO person_follower VALUES (2, 1, '2024-03-01', false), (1, 2, '2024-03-01', true), (4, 1, '2024-03-01', false);
INSERT INTO post (id, name, url, body, creator_id, community_id, published) VALUES
    (1, 'a', 'https://i.example/owl.jpg', 'secret body', 1, 1, '2024-05-01 10:00:00+00'),
    (2, 'cross-post', 'https://i.example/owl.jpg', NULL, 3, 2, '2024-05-02 10:00:00+00'),
    (3, 'text only', NULL, 'secret body', 3, 1, '2024-05-03 10:00:00+00'),
    (4, 'long', 'https://i.example/' || repeat('x', 400), NULL, 1, 1, '2024-05-04 10:00:00+00'),
    (5, 'empty', ' ', NULL, 1, 1, '2024-05-05 10:00:00+00'),
    (9, 'of a banned one', 'https://i.example/secret9.jpg', NULL, 4, 1, '2024-05-06 10:00:00+00'),
    (10, 'banned there', 'https://i.example/secret10.jpg', NULL, 2, 2, '2024-05-06 10:00:00+00'),
    (11, 'of a bot', 'https://i.example/secret11.jpg', NULL, 7, 1, '2024-05-06 10:00:00+00'),
    (12, 'in a removed one', 'https://i.example/secret12.jpg', NULL, 1, 3, '2024-05-06 10:00:00+00'),
    (13, 'in a local one', 'https://i.example/secret13.jpg', NULL, 1, 7, '2024-05-06 10:00:00+00');
INSERT INTO post (id, name, url, creator_id, community_id, published, removed, deleted, nsfw) VALUES
    (6, 'removed', 'https://i.example/secret6.jpg', 1, 1, '2024-05-06', true, false, false),
    (7, 'deleted', 'https://i.example/secret7.jpg', 1, 1, '2024-05-06', false, true, false),
    (8, 'nsfw', 'https://i.example/nude.jpg', 1, 1, '2024-05-06', false, false, true);
INSERT INTO post_like SELECT post, person, CASE WHEN person = 5 THEN -1 ELSE 1 END, '2024-06-01 10:00:00+00'
    FROM generate_series(1, 13) AS post, generate_series(1, 8) AS person;
INSERT INTO comment (id, creator_id, post_id, content, published, removed, deleted) VALUES
    (1, 2, 1, 'secret comment', '2024-07-01 10:00:00+00', false, false),
    (2, 3, 1, 'secret comment', '2024-07-02 10:00:00+00', true, false),
    (3, 3, 1, 'secret comment', '2024-07-03 10:00:00+00', false, true),
    (4, 4, 1, 'secret comment', '2024-07-04 10:00:00+00', false, false),
    (5, 1, 12, 'secret comment', '2024-07-05 10:00:00+00', false, false),
    (6, 2, 2, 'secret comment', '2024-07-06 10:00:00+00', false, false),
    -- Times that another instance has made up.
    (7, 2, 2, 'secret comment', 'infinity', false, false),
    (8, 2, 2, 'secret comment', '48113-11-21', false, false);
