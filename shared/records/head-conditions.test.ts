import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { buildCondition, type FactConditions } from './head-conditions.ts'
import { type Condition, conditions, type Fact, states, transitions } from './transitions.ts'

const ofThePlan = ['complete', 'the last arrives'] as const
const others = [
  'ended',
  'owned',
  'called',
  'called before',
  'the owner asks',
  'nobody asks',
  'the attempt is as read',
  'repeated',
] as const
const events = [...new Set(transitions.map(({ event }) => event))]

/** Every subset of some facts. */
function subsetsOf(facts: readonly Fact[]): readonly ReadonlySet<Fact>[] {
  return Array.from(
    { length: 2 ** facts.length },
    (_, bits) => new Set(facts.filter((_fact, at) => (bits >> at) % 2 === 1)),
  )
}

/** What had been begun, and so could be repeated, has all that it needs. */
function isPossible(facts: ReadonlySet<Fact>): boolean {
  return !facts.has('repeated') || facts.has('complete')
}

function holds({ is, not }: Condition, facts: ReadonlySet<Fact>): boolean {
  return is.every(fact => facts.has(fact)) && !not.some(fact => facts.has(fact))
}

/** The rows that hold for an event when these facts do and no others. */
function rowsFor(event: string, facts: ReadonlySet<Fact>): readonly (typeof transitions)[number][] {
  return transitions.filter(
    row =>
      row.event === event && holds(states[row.from], facts) && holds(conditions[row.when], facts),
  )
}

test('at most one row that writes holds at a time, and a head is in one state', () => {
  for (const facts of subsetsOf([...others, ...ofThePlan])) {
    if (Object.values(states).filter(state => holds(state, facts)).length !== 1)
      expect.fail([...facts].join(', '))
    for (const event of events) {
      const writing = rowsFor(event, facts).filter(({ effect }) => effect === 'writes')
      if (writing.length > 1) expect.fail(`${event} with ${[...facts].join(', ')}`)
    }
  }
})

test('what a request does not tell of the plan decides nothing', () => {
  for (const event of events.filter(name => name !== 'begin'))
    for (const known of subsetsOf(others)) {
      const effects = subsetsOf(ofThePlan)
        .map(plan => new Set([...known, ...plan]))
        .filter(isPossible)
        .map(facts => rowsFor(event, facts).map(({ effect }) => effect))
      for (const effect of effects) expect(effect).toEqual(effects[0])
    }
})

test('the condition of a store holds exactly where a row does', () => {
  const facts = [...others, ...ofThePlan]
  const factConditions = Object.fromEntries(
    facts.map((fact, at) => [fact, `?${at + 1}`]),
  ) as FactConditions
  const database = new DatabaseSync(':memory:')
  for (const event of events)
    for (const effect of ['writes', 'repeats'] as const) {
      const condition = buildCondition(event, effect, factConditions)
      if (condition === '') continue
      const statement = database.prepare(`SELECT ${condition} AS it, ?${facts.length}`)
      for (const held of subsetsOf(facts).filter(isPossible)) {
        const row = statement.get(...facts.map(fact => (held.has(fact) ? 1 : 0)))
        const isHeld = row?.['it'] === 1
        if (isHeld !== rowsFor(event, held).some(one => one.effect === effect))
          expect.fail(`${event} ${effect} with ${[...held].join(', ')}`)
      }
    }
  database.close()
})

test('a store that has no words for a fact is told so', () => {
  expect(() => buildCondition('begin', 'writes', {})).toThrow('words')
})

test('an arrival is written in every state, so that a store needs no condition for it', () => {
  for (const facts of subsetsOf([...others, ...ofThePlan]))
    if (!rowsFor('arrive', facts).some(({ effect }) => effect === 'writes'))
      expect.fail([...facts].join(', '))
})
