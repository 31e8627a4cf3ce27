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
export type Words = Partial<Readonly<Record<Fact, string>>>

/** What only the plan knows: a begin says what the operation needs, no other request does. */
const ofThePlan: ReadonlySet<Fact> = new Set(['complete', 'the last arrives'])

/**
 * The condition under which a store writes a request (`writes`), or answers it as done because it
 * was before (`repeats`), made of the rows of the table. Facts that the request does not tell are
 * left out: the rows that they tell apart agree. Joined by AND, OR, NOT and parentheses, which SQL
 * and the expressions of DynamoDB share; `words` are put in parentheses as they are. Throws
 * INTERNAL_ASSERTION for a fact without words.
 */
export function conditionFor(event: HeadEvent, effect: Transition['effect'], words: Words): string {
  const rows = transitions.filter(row => row.event === event && row.effect === effect)
  const said = rows.map(row => expressionOf([states[row.from], conditions[row.when]], event, words))
  return [...new Set(said)].map(one => `(${one})`).join(' OR ')
}

function expressionOf(parts: readonly Condition[], event: HeadEvent, words: Words): string {
  const isTold = (fact: Fact): boolean => event === 'begin' || !ofThePlan.has(fact)
  const wordsOf = (fact: Fact): string => {
    const said = words[fact]
    assert(said !== undefined, `the store has words for '${fact}'`)
    return `(${said})`
  }
  const is = new Set(parts.flatMap(part => part.is).filter(isTold))
  const not = new Set(parts.flatMap(part => part.not).filter(isTold))
  return [...[...is].map(wordsOf), ...[...not].map(fact => `NOT ${wordsOf(fact)}`)].join(' AND ')
}
