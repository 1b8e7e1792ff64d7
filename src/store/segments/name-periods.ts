import { NO_TEXT } from './text-numbers.js';

/**
 * Numbers the periods of upserts in which an entity has one name. Few entities change their name, so only theirs are
 * sorted. Upserts without a name belong to no period.
 */
export function withPeriods(upserts: string): string {
  const renamed = `SELECT host, entity FROM ${upserts} AND name <> ${NO_TEXT} GROUP BY host, entity HAVING min(name) < max(name)`;
  return `
    SELECT *, 0 AS period FROM ${upserts} AND (name = ${NO_TEXT} OR (host, entity) NOT IN (${renamed}))
    UNION ALL
    SELECT * EXCLUDE (changed), sum(changed) OVER (PARTITION BY host, entity ORDER BY first_ts, first_seq, name
      ROWS UNBOUNDED PRECEDING)::INTEGER AS period
    FROM (
      SELECT *, (name IS DISTINCT FROM lag(name) OVER (PARTITION BY host, entity ORDER BY first_ts, first_seq, name))::INTEGER AS changed
      FROM ${upserts} AND name <> ${NO_TEXT} AND (host, entity) IN (${renamed})
    )`;
}
