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

/** How a store says that a fact holds, in its own language. */
export type FactConditions = Partial<Readonly<Record<Fact, string>>>

/** What only the plan knows: a begin says what the operation needs, no other request does. */
const ofThePlan: ReadonlySet<Fact> = new Set(['complete', 'the last arrives'])

/**
 * The condition under which a store writes a request (`writes`), or answers it as done because it
 * was before (`repeats`), made of the rows of the table. Facts that the request does not tell are
 * left out: the rows that they tell apart agree. Joined by AND, OR, NOT and parentheses, which SQL
 * and the expressions of DynamoDB share; `words` are put in parentheses as they are. Throws
 * INTERNAL_ASSERTION for a fact without words.
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
