import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { buildCondition, type FactConditions } from './head-conditions.ts'
import {
  type Condition,
  conditions,
  type Fact,
  headStateConditions,
  transitions,
} from './transitions.ts'

/** Facts about the needs of an operation, which only some requests contain. */
const needFacts = ['complete', 'it is the last arrival'] as const
const otherFacts = [
  'ended',
  'owned',
  'called',
  'called before',
  'the requester is the owner',
  'the request names no owner',
  'the attempt is current',
  'repeated',
] as const
const events = [...new Set(transitions.map(({ event }) => event))]

/** Returns every subset of some facts. */
function subsetsOf(facts: readonly Fact[]): readonly ReadonlySet<Fact>[] {
  return Array.from(
    { length: 2 ** facts.length },
    (_, bits) => new Set(facts.filter((_fact, index) => (bits >> index) % 2 === 1)),
  )
}

/** Reports whether facts are consistent: a repeated begin implies that all needs have arrived. */
function isPossible(facts: ReadonlySet<Fact>): boolean {
  return !facts.has('repeated') || facts.has('complete')
}

function holds({ requiredFacts, forbiddenFacts }: Condition, facts: ReadonlySet<Fact>): boolean {
  return (
    requiredFacts.every(fact => facts.has(fact)) && !forbiddenFacts.some(fact => facts.has(fact))
  )
}

/** Returns the transitions of an event that apply when exactly these facts hold. */
function rowsFor(event: string, facts: ReadonlySet<Fact>): readonly (typeof transitions)[number][] {
  return transitions.filter(
    row =>
      row.event === event &&
      holds(headStateConditions[row.from], facts) &&
      holds(conditions[row.condition], facts),
  )
}

test('at most one writing row of the transitions applies, and a head is in exactly one state', () => {
  for (const facts of subsetsOf([...otherFacts, ...needFacts])) {
    if (Object.values(headStateConditions).filter(state => holds(state, facts)).length !== 1)
      expect.fail([...facts].join(', '))
    for (const event of events) {
      const writing = rowsFor(event, facts).filter(({ action }) => action === 'writes')
      if (writing.length > 1) expect.fail(`${event} with ${[...facts].join(', ')}`)
    }
  }
})

test('facts about needs do not affect the action of an event other than begin', () => {
  for (const event of events.filter(name => name !== 'begin'))
    for (const known of subsetsOf(otherFacts)) {
      const actions = subsetsOf(needFacts)
        .map(needs => new Set([...known, ...needs]))
        .filter(isPossible)
        .map(facts => rowsFor(event, facts).map(({ action }) => action))
      for (const action of actions) expect(action).toEqual(actions[0])
    }
})

test("a store's condition holds exactly when a transition applies", () => {
  const facts = [...otherFacts, ...needFacts]
  const factConditions = Object.fromEntries(
    facts.map((fact, index) => [fact, `?${index + 1}`]),
  ) as FactConditions
  const database = new DatabaseSync(':memory:')
  for (const event of events)
    for (const action of ['writes', 'repeats'] as const) {
      const condition = buildCondition(event, action, factConditions)
      if (condition === '') continue
      const statement = database.prepare(`SELECT ${condition} AS it, ?${facts.length}`)
      for (const held of subsetsOf(facts).filter(isPossible)) {
        const row = statement.get(...facts.map(fact => (held.has(fact) ? 1 : 0)))
        const isHeld = row?.['it'] === 1
        if (isHeld !== rowsFor(event, held).some(one => one.action === action))
          expect.fail(`${event} ${action} with ${[...held].join(', ')}`)
      }
    }
  database.close()
})

test('a missing store condition for a fact is an error', () => {
  expect(() => buildCondition('begin', 'writes', {})).toThrow('the store has a condition')
})

test('an arrival is written in every state, so a store needs no condition for it', () => {
  for (const facts of subsetsOf([...otherFacts, ...needFacts]))
    if (!rowsFor('arrive', facts).some(({ action }) => action === 'writes'))
      expect.fail([...facts].join(', '))
})
