-- The names of Lemmy 0.19, for lemmy.sql.
WITH communities AS (
    SELECT id, actor_id AS address, coalesce(title, name) AS title, description, published AS at
    FROM community
    WHERE NOT removed AND NOT deleted AND NOT hidden AND visibility = 'Public' AND (@NSFW@ OR NOT nsfw)
        AND octet_length(actor_id) BETWEEN 1 AND 255
), people AS (
    SELECT id, actor_id AS address, coalesce(nullif(display_name, ''), name) AS name
    FROM person
    WHERE NOT deleted AND NOT bot_account AND NOT (banned AND (ban_expires IS NULL OR ban_expires > now()))
        AND octet_length(actor_id) BETWEEN 1 AND 255
), bans AS (
    SELECT community_id, person_id FROM community_person_ban WHERE expires IS NULL OR expires > now()
), subscriptions AS (
    SELECT community_id, person_id, published AS at FROM community_follower WHERE NOT pending
), threads AS (
    SELECT id, community_id, creator_id, nullif(btrim(url), '') AS url, published AS at
    FROM post
    WHERE NOT removed AND NOT deleted AND (@NSFW@ OR NOT nsfw)
), votes AS (
    SELECT person_id, post_id, published AS at FROM post_like WHERE score = 1
), comments AS (
    SELECT post_id, creator_id, published AS at FROM comment WHERE NOT removed AND NOT deleted
), follows AS (
    SELECT follower_id, person_id AS followed_id, published AS at FROM person_follower WHERE NOT pending
)
