-- The names of Lemmy 1.0, for lemmy.sql. A ban by this instance or by the member's own counts.
WITH communities AS (
    SELECT id, ap_id AS address, coalesce(title, name) AS title, sidebar AS description, published_at AS at
    FROM community
    WHERE NOT removed AND NOT deleted AND NOT local_removed AND visibility = 'Public' AND (@NSFW@ OR NOT nsfw)
        AND octet_length(ap_id) BETWEEN 1 AND 255
), people AS (
    SELECT id, ap_id AS address, coalesce(nullif(display_name, ''), name) AS name
    FROM person
    WHERE NOT deleted AND NOT bot_account AND octet_length(ap_id) BETWEEN 1 AND 255
        AND NOT EXISTS (
            SELECT FROM instance_actions AS ban
            WHERE ban.person_id = person.id AND ban.received_ban_at IS NOT NULL
                AND (ban.ban_expires_at IS NULL OR ban.ban_expires_at > now())
                AND (ban.instance_id = person.instance_id OR ban.instance_id IN (
                    SELECT site.instance_id FROM local_site JOIN site ON site.id = local_site.site_id)))
), bans AS (
    SELECT community_id, person_id
    FROM community_actions
    WHERE received_ban_at IS NOT NULL AND (ban_expires_at IS NULL OR ban_expires_at > now())
), subscriptions AS (
    SELECT community_id, person_id, followed_at AS at FROM community_actions WHERE follow_state = 'Accepted'
), threads AS (
    SELECT id, community_id, creator_id, nullif(btrim(url), '') AS url, published_at AS at
    FROM post
    WHERE NOT removed AND NOT deleted AND NOT federation_pending AND scheduled_publish_time_at IS NULL
        AND (@NSFW@ OR NOT nsfw)
), votes AS (
    SELECT person_id, post_id, voted_at AS at FROM post_actions WHERE vote_is_upvote
), comments AS (
    SELECT post_id, creator_id, published_at AS at
    FROM comment
    WHERE NOT removed AND NOT deleted AND NOT federation_pending
), follows AS (
    SELECT person_id AS follower_id, target_id AS followed_id, followed_at AS at
    FROM person_actions
    WHERE followed_at IS NOT NULL AND follow_pending IS NOT TRUE
)
