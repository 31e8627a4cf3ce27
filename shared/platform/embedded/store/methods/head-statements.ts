/**
 * SQL statements of the head writes. Their conditions are built from the transition table.
 * Parameters: ?1 deployment, ?2 operation, ?3 the requesting owner, ?4 the attempt, ?6 the
 * executor. In an arrival, ?3 is the id of the operation that has ended. ?5 is the number of needs
 * in a begin, the key for `head.freed` in a give-back or lapse, and the verdict in a select.
 */
import { buildCondition, type FactConditions } from '../../../../records/head-conditions.ts'
import type { HeadEvent } from '../../../../records/transitions.ts'

const headKeyCondition = 'deployment = ?1 AND operation = ?2'

/**
 * The expressions for the fields of a head: the columns of its row, or the constants of an
 * untouched head.
 */
interface HeadExpressions {
  readonly verdict: string
  readonly owner: string
  readonly attempt: string
  readonly givenBack: string
  readonly arrived: string
}

const storedExpressions: HeadExpressions = {
  verdict: 'head.verdict',
  owner: 'head.owner',
  attempt: 'head.attempt',
  givenBack: 'head.given_back',
  arrived: 'head.arrived',
}

const freshExpressions: HeadExpressions = {
  verdict: 'NULL',
  owner: "''",
  attempt: '0',
  givenBack: '0',
  arrived: "'[]'",
}

function factConditionsOf({
  verdict,
  owner,
  attempt,
  givenBack,
  arrived,
}: HeadExpressions): FactConditions {
  return {
    ended: `${verdict} IS NOT NULL`,
    owned: `${owner} <> ''`,
    called: `${attempt} > ${givenBack}`,
    'called before': `${attempt} - 1 > ${givenBack}`,
    complete: `json_array_length(${arrived}) >= ?5`,
    'the requester is the owner': `?3 <> '' AND ${owner} = ?3`,
    'the request names no owner': "?3 = ''",
    'the attempt is current': `${attempt} = ?4`,
  }
}

const releaseTookEffect = `EXISTS (SELECT 1 FROM json_each(head.freed) WHERE value = ?5)`

/** For each event, the SQL condition that the same request took effect before. */
const tookEffectConditions: Readonly<Record<HeadEvent, string>> = {
  arrive: 'EXISTS (SELECT 1 FROM json_each(head.arrived) WHERE value = ?3)',
  begin: 'head.owner = ?3 AND head.attempt = ?4 + 1',
  giveBack: releaseTookEffect,
  lapse: releaseTookEffect,
  select: 'head.verdict = ?5 AND head.end_attempt = ?4 AND head.owner = ?3',
}

function writeConditionOf(event: HeadEvent, expressions: HeadExpressions): string {
  return buildCondition(event, 'writes', factConditionsOf(expressions))
}

/** Returns a query that finds one row if the same request took effect before. */
function createTookEffectQuery(event: HeadEvent): string {
  const factConditions = {
    ...factConditionsOf(storedExpressions),
    repeated: tookEffectConditions[event],
  }
  return `SELECT 1 FROM head WHERE ${headKeyCondition} AND (${buildCondition(event, 'repeats', factConditions)})`
}

/**
 * Returns a statement that writes an absent or an existing head. The statement inserts a row if the
 * event may write an untouched head, and updates the row if the event may write the existing head.
 */
function createUpsert(
  event: HeadEvent,
  { columns, values, set }: Readonly<Record<'columns' | 'values' | 'set', string>>,
): string {
  return `INSERT INTO head (deployment, operation, ${columns}) SELECT ?1, ?2, ${values}
    WHERE ${writeConditionOf(event, freshExpressions)}
      OR EXISTS (SELECT 1 FROM head WHERE ${headKeyCondition})
    ON CONFLICT DO UPDATE SET ${set} WHERE ${writeConditionOf(event, storedExpressions)}`
}

/**
 * The statements by name. They cast numbers to integers, because numbers are bound as floating
 * point, which would appear in the JSON.
 */
export const headStatements = {
  /**
   * Returns the head. The transition table allows an arrival in every state, so the statement has
   * no condition.
   */
  arrive: `INSERT INTO head (deployment, operation, arrived)
    VALUES (?1, ?2, json_array(CAST(?3 AS INTEGER)))
    ON CONFLICT DO UPDATE SET arrived = CASE WHEN ${tookEffectConditions.arrive} THEN head.arrived
      ELSE json_insert(head.arrived, '$[#]', CAST(?3 AS INTEGER)) END
    RETURNING *`,
  /** Returns the attempt. */
  begin: `${createUpsert('begin', {
    columns: 'attempt, owner, executor',
    values: '1, ?3, ?6',
    set: 'attempt = head.attempt + 1, owner = ?3, executor = ?6',
  })} RETURNING attempt`,
  beginTookEffect: createTookEffectQuery('begin'),
  giveBack: `UPDATE head SET owner = '', executor = '', given_back = given_back + 1,
    freed = json_insert(freed, '$[#]', ?5)
    WHERE ${headKeyCondition} AND (${writeConditionOf('giveBack', storedExpressions)})`,
  giveBackTookEffect: createTookEffectQuery('giveBack'),
  lapse: `UPDATE head SET owner = '', executor = '', freed = json_insert(freed, '$[#]', ?5)
    WHERE ${headKeyCondition} AND (${writeConditionOf('lapse', storedExpressions)})`,
  lapseTookEffect: createTookEffectQuery('lapse'),
  select: createUpsert('select', {
    columns: 'verdict, end_attempt',
    values: '?5, CAST(?4 AS INTEGER)',
    set: 'verdict = ?5, end_attempt = ?4',
  }),
  selectTookEffect: createTookEffectQuery('select'),
} as const
