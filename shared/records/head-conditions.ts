import { assert } from '../errors/error.ts'
import {
  type Condition,
  conditions,
  type Fact,
  type HeadEvent,
  headStateConditions,
  transitions,
  type Transition,
} from './transitions.ts'

/** For each fact, the condition that a store tests, in its query language. */
export type FactConditions = Partial<Readonly<Record<Fact, string>>>

/**
 * Facts that depend on the needs of an operation. Only a begin contains the number of needs, so
 * other requests cannot test these facts.
 */
const needsFacts: ReadonlySet<Fact> = new Set(['complete', 'it is the last arrival'])

/**
 * Returns the condition under which a store applies a request (`writes`), or only repeats its first
 * result (`repeats`). The condition is built from the rows of `transitions`. Facts that the request
 * does not contain are omitted, because rows that differ only in such a fact have the same result.
 * The parts are joined with AND, OR, NOT and parentheses, which SQL and DynamoDB expressions share.
 * Each condition of `factConditions` is put in parentheses. Throws INTERNAL_ASSERTION for a fact
 * without a condition.
 */
export function buildCondition(
  event: HeadEvent,
  action: Transition['action'],
  factConditions: FactConditions,
): string {
  const matchingRows = transitions.filter(row => row.event === event && row.action === action)
  const clauses = matchingRows.map(row =>
    expressionOf([headStateConditions[row.from], conditions[row.condition]], event, factConditions),
  )
  return [...new Set(clauses)].map(clause => `(${clause})`).join(' OR ')
}

function expressionOf(
  conditionParts: readonly Condition[],
  event: HeadEvent,
  factConditions: FactConditions,
): string {
  const isProvided = (fact: Fact): boolean => event === 'begin' || !needsFacts.has(fact)
  const clauseOf = (fact: Fact): string => {
    const condition = factConditions[fact]
    assert(condition !== undefined, `the store has a condition for '${fact}'`)
    return `(${condition})`
  }
  const requiredFacts = new Set(
    conditionParts.flatMap(condition => condition.requiredFacts).filter(isProvided),
  )
  const forbiddenFacts = new Set(
    conditionParts.flatMap(condition => condition.forbiddenFacts).filter(isProvided),
  )
  return [
    ...[...requiredFacts].map(clauseOf),
    ...[...forbiddenFacts].map(fact => `NOT ${clauseOf(fact)}`),
  ].join(' AND ')
}
