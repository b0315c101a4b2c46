-- The entry of a licence (:licence) that is in effect, with its permits as a JSON array.
SELECT
    l.title,
    l.spdx,
    l.status,
    l.note,
    l.withdrawn,
    (SELECT json_group_array(use) FROM (SELECT p.use FROM licence_permits AS p WHERE p.licence_id = l.licence_id ORDER BY p.use)) AS permits
FROM licences AS l
WHERE l.licence_id = :licence
ORDER BY l.licence_id;
