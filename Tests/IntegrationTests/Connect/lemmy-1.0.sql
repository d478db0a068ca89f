-- Turns the tables of Lemmy 0.19, with what is in them, into those of Lemmy 1.0.
INSERT INTO __diesel_schema_migrations VALUES ('20250801000055'), ('202607271433130000');
ALTER TYPE community_visibility RENAME VALUE 'LocalOnly' TO 'LocalOnlyPublic';
ALTER TYPE community_visibility ADD VALUE 'Private';
CREATE TYPE community_follower_state AS ENUM ('Accepted', 'Pending', 'ApprovalRequired');
ALTER TABLE community RENAME actor_id TO ap_id;
ALTER TABLE community RENAME description TO sidebar;
ALTER TABLE community RENAME published TO published_at;
ALTER TABLE community ADD local_removed bool NOT NULL DEFAULT false, ALTER title DROP NOT NULL;
UPDATE community SET local_removed = hidden;
ALTER TABLE community DROP hidden;
ALTER TABLE person RENAME actor_id TO ap_id;
ALTER TABLE person ADD instance_id int NOT NULL DEFAULT 1;
CREATE TABLE site (id int PRIMARY KEY, instance_id int);
CREATE TABLE local_site (id int PRIMARY KEY, site_id int);
INSERT INTO site VALUES (20, 1), (21, 2);
INSERT INTO local_site VALUES (1, 20);
CREATE TABLE instance_actions (person_id int, instance_id int, received_ban_at timestamptz, ban_expires_at timestamptz);
INSERT INTO instance_actions SELECT id, 1, now(), ban_expires FROM person WHERE banned;
-- Another instance has banned ann, which is none of this one's business.
INSERT INTO instance_actions VALUES (1, 2, now(), NULL), (3, 1, NULL, NULL);
ALTER TABLE person DROP banned, DROP ban_expires;
CREATE TABLE community_actions (person_id int, community_id int, followed_at timestamptz,
    follow_state community_follower_state, received_ban_at timestamptz, ban_expires_at timestamptz);
INSERT INTO community_actions
    SELECT person_id, community_id, f.published,
        CASE WHEN pending THEN 'Pending' WHEN f.published IS NOT NULL THEN 'Accepted' END::community_follower_state,
        b.published, b.expires
    FROM community_follower AS f FULL JOIN community_person_ban AS b USING (community_id, person_id);
DROP TABLE community_follower, community_person_ban;
CREATE TABLE person_actions (person_id int, target_id int, followed_at timestamptz, blocked_at timestamptz,
    follow_pending bool, note text);
INSERT INTO person_actions SELECT follower_id, person_id, published, NULL, pending FROM person_follower;
INSERT INTO person_actions VALUES (3, 1, NULL, now(), NULL, 'secret note');
DROP TABLE person_follower;
ALTER TABLE post RENAME published TO published_at;
ALTER TABLE post ADD federation_pending bool NOT NULL DEFAULT false, ADD scheduled_publish_time_at timestamptz;
INSERT INTO post (id, name, url, creator_id, community_id, published_at, federation_pending, scheduled_publish_time_at)
    VALUES (14, 'pending', 'https://i.example/secret14.jpg', 1, 1, now(), true, NULL),
    (15, 'scheduled', 'https://i.example/secret15.jpg', 1, 1, now(), false, '2999-01-01');
CREATE TABLE post_actions (person_id int, post_id int, voted_at timestamptz, vote_is_upvote bool, read_at timestamptz);
INSERT INTO post_actions SELECT person_id, post_id, published, score = 1 FROM post_like;
INSERT INTO post_actions VALUES (5, 14, NULL, NULL, now());
DROP TABLE post_like;
ALTER TABLE comment RENAME published TO published_at;
ALTER TABLE comment ADD federation_pending bool NOT NULL DEFAULT false;
