import { assert } from '../errors/error.ts'
import {
  type Condition,
  conditions,
  type Fact,
  type HeadEvent,
  states,
  transitions,
  type Transition,
} from './transitions.ts'

/** The conditions of a store for facts, in its query language. */
export type FactConditions = Partial<Readonly<Record<Fact, string>>>

/** Facts that depend on the plan. Only a begin carries the needs of its operation. */
const ofThePlan: ReadonlySet<Fact> = new Set(['complete', 'the last arrives'])

/**
 * Returns the condition under which a store writes a request (`writes`), or answers it as an
 * earlier repetition (`repeats`). It is built from the rows of the table. Facts that the request
 * does not carry are omitted, because the rows they distinguish agree. The parts are joined with
 * AND, OR, NOT and parentheses, which SQL and DynamoDB expressions share. Each condition of
 * `factConditions` is put in parentheses. Throws INTERNAL_ASSERTION for a fact without a condition.
 */
export function buildCondition(
  event: HeadEvent,
  effect: Transition['effect'],
  factConditions: FactConditions,
): string {
  const rows = transitions.filter(row => row.event === event && row.effect === effect)
  const clauses = rows.map(row =>
    expressionOf([states[row.from], conditions[row.when]], event, factConditions),
  )
  return [...new Set(clauses)].map(one => `(${one})`).join(' OR ')
}

function expressionOf(
  parts: readonly Condition[],
  event: HeadEvent,
  factConditions: FactConditions,
): string {
  const isProvided = (fact: Fact): boolean => event === 'begin' || !ofThePlan.has(fact)
  const clauseOf = (fact: Fact): string => {
    const condition = factConditions[fact]
    assert(condition !== undefined, `the store has words for '${fact}'`)
    return `(${condition})`
  }
  const is = new Set(parts.flatMap(part => part.is).filter(isProvided))
  const not = new Set(parts.flatMap(part => part.not).filter(isProvided))
  return [...[...is].map(clauseOf), ...[...not].map(fact => `NOT ${clauseOf(fact)}`)].join(' AND ')
}
