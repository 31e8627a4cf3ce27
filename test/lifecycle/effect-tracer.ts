import { AsyncLocalStorage } from 'node:async_hooks'
import type { Effect, EffectList } from '../../shared/records/effect.ts'
import {
  orderOfEffects,
  forwardingFiles,
  unlistedCalls,
} from '../../shared/records/order-of-effects.ts'
import type { LogRecord } from '../../shared/records/log.ts'
import type { ChainMessage, Delivery } from '../../shared/ports/queue.ts'

/** The lists of the table by name. */
export const lists: ReadonlyMap<string, EffectList> = new Map(Object.entries(orderOfEffects))

/** Whether a call of a port is an effect: whatever is not known to be none is one. */
export const isEffect = (call: string): boolean => !silent.has(call)
const silent = new Set(unlistedCalls.flatMap(({ calls }) => calls))

/** A row of the table. */
export interface EffectRow {
  readonly list: string
  /** From 1, as on the page. */
  readonly row: number
}

/** One effect in the words of the table; an append has one for each of its decisions. */
interface Fact {
  readonly call: string
  /** The file that asked the port. */
  readonly by: string
}

/** One thing that has an order of its own: its facts so far, and where in lists it may be. */
interface Course {
  readonly facts: Fact[]
  /** Rows that the last fact may be; undefined before the first. */
  at: readonly EffectRow[] | undefined
  before: readonly EffectRow[] | undefined
}

/** An effect that was noted; `refused` when the store did not take it. */
export interface NotedEffect {
  readonly rows: readonly EffectRow[]
  readonly undo: () => void
}

/** What effects of one process have been, told in the words of the table. */
export interface Tracer {
  /** Notes an effect before it takes place; answers the rows that it may be. */
  readonly note: (call: string, args: readonly unknown[]) => NotedEffect
  /** The same deliveries; what is done for one of them is told from what is done for others. */
  readonly trackDeliveries: (deliveries: readonly Delivery[]) => readonly Delivery[]
  /** Effects that no list has in this place, with what came before them. */
  readonly violations: readonly string[]
  /** What was begun and lacks effects that the table has for it. */
  readonly listUnfinished: () => readonly string[]
}

/** What an executor is in: a delivery, and the operation of it that was begun last. */
interface Running {
  readonly receipt: string
  readonly course: string
}

const running = new AsyncLocalStorage<Running>()

/** Makes the tracer of one process. */
export function createTracer(): Tracer {
  const courses = new Map<string, Course>()
  /** Keys of the runs of a delivery. */
  const ranBy = new Map<string, string[]>()
  const violations: string[] = []
  let last = new Set<Course>()
  const begin = (operation: number): string => {
    const { receipt } = running.getStore() ?? { receipt: 'nobody' }
    const course = `run ${receipt} ${operation}`
    running.enterWith({ receipt, course })
    return course
  }
  const coursesOf = (fact: Fact, args: readonly unknown[]): readonly string[] => {
    const [first, second, third] = args
    const per = new Set(listsWith(fact).map(([, list]) => list.per))
    const { receipt, course } = running.getStore() ?? { receipt: 'nobody', course: 'run nobody' }
    if (fact.call === 'chains.remove') {
      const ran = ranBy.get(String(first)) ?? []
      const message = `message ${String(first)}`
      return ran.length === 0 || courses.has(message) ? [...ran, message] : ran
    }
    // What ends by the generator's own hand is not in a delivery.
    if (per.has('own') && receipt === 'nobody') {
      const id = fact.by === '' ? first : fact.call === 'operations.arrive' ? third : second
      return [`own ${String(id)}`]
    }
    if (per.has('chain')) return chainsOf(first).map(id => `chain ${id}`)
    if (per.has('message')) return [`message ${receipt}`]
    if (per.has('executor')) return [`executor ${String(second)}`]
    if (!per.has('run')) return listsWith(fact).map(([name]) => `process ${name}`)
    return [fact.call === 'operations.begin' ? begin(second as number) : course]
  }
  const courseOf = (key: string): Course => {
    const known = courses.get(key)
    if (known !== undefined) return known
    const course = { facts: [], at: undefined, before: undefined }
    courses.set(key, course)
    const [, receipt] = /^run (.*) [^ ]*$/.exec(key) ?? []
    if (receipt === undefined) return course
    const keys = ranBy.get(receipt) ?? []
    ranBy.set(receipt, keys)
    keys.push(key)
    return course
  }
  const step = (fact: Fact, args: readonly unknown[]): readonly EffectRow[] => {
    const steps = coursesOf(fact, args).map(key => ({
      key,
      rows: follow(listsOf(key), courseOf(key).at, fact),
    }))
    if (steps.length === 0) violations.push(`${textOf(fact)}: no list has it`)
    // A record is told by what it decides: a take-over is that of a start where one is under way.
    const fitting = steps.filter(({ rows }) => rows.length > 0)
    const continuing = fitting.filter(({ rows }) => rows.some(({ row }) => row > 1))
    const isAttributed = fact.by !== '' || fitting.length === 0
    const taken = isAttributed ? steps : continuing.length > 0 ? continuing : fitting
    for (const { key, rows } of taken) {
      const course = courseOf(key)
      course.before = course.at
      if (rows.length === 0)
        violations.push(`${key}: ${textOf(fact)} after ${course.facts.map(textOf).join(', ')}`)
      course.facts.push(fact)
      course.at = rows
    }
    for (const { key } of taken) last.add(courseOf(key))
    return taken.flatMap(({ rows }) => rows)
  }
  return {
    violations,
    note(call, args) {
      const by = callerOf()
      last = new Set()
      const rows =
        call === 'decisionLog.append'
          ? decisionsOf(args).flatMap(([what, id]) => step({ call: what, by: '' }, [id]))
          : step({ call, by }, args)
      const [noted] = [last]
      const refused = (): void => {
        for (const course of noted) {
          course.at = course.before
          course.facts.pop()
        }
      }
      // Nobody knows of a begin whether it took place.
      return { rows, undo: call === 'operations.begin' ? () => undefined : refused }
    },
    trackDeliveries: deliveries =>
      Object.assign([...deliveries], { [Symbol.iterator]: iterateDeliveries }),
    listUnfinished: () =>
      [...courses]
        .filter(([, { at = [] }]) => at.length > 0 && !at.some(isEnd))
        .map(([key, { facts }]) => `${key}: ${facts.map(textOf).join(', ')}`),
  }
}

/** Whoever goes through deliveries is in each of them in turn. */
function* iterateDeliveries(this: readonly Delivery[]): Generator<Delivery> {
  for (let at = 0; at < this.length; at++) {
    const delivery = this[at]
    if (delivery === undefined) continue
    running.enterWith({ receipt: delivery.receipt, course: `run ${delivery.receipt}` })
    yield delivery
  }
}

const textOf = ({ call, by }: Fact): string => (by === '' ? call : `${call} by ${by}`)

function listsWith(fact: Fact): readonly (readonly [string, EffectList])[] {
  return [...lists].filter(([, { effects }]) => effects.some(effect => isSameEffect(effect, fact)))
}

/** Who decided a log record is told by what it decides, not by who appends it. */
function isSameEffect({ call, by }: Effect, fact: Fact): boolean {
  return call === fact.call && (fact.by === '' || by.includes(fact.by))
}

/** The lists that are followed in a course: one of the process, or all that are of its kind. */
function listsOf(key: string): readonly (readonly [string, EffectList])[] {
  const [per = '', name = ''] = key.split(' ')
  return [...lists].filter(([one, list]) => (per === 'process' ? one === name : list.per === per))
}

/** The rows that a fact may be, after others: the list goes on, loops, or begins anew. */
function follow(
  mine: readonly (readonly [string, EffectList])[],
  at: readonly EffectRow[] | undefined,
  fact: Fact,
): readonly EffectRow[] {
  const isAny = at === undefined || at.some(isEnd)
  const found = new Map<string, EffectRow>()
  for (const [name, { effects }] of mine)
    effects.forEach((effect, place) => {
      if (!isSameEffect(effect, fact)) return
      const row = { list: name, row: place + 1 }
      const begins = isAny && isSkipped(effects, 0, place)
      const goesOn = (at ?? []).some(
        last => last.list === name && canFollow(effects, last.row, place),
      )
      if (begins || goesOn) found.set(`${name} ${place}`, row)
    })
  return [...found.values()]
}

/** Whether the effect at `place` may follow the `row`-th. */
function canFollow(effects: readonly Effect[], row: number, place: number): boolean {
  const from = effects[row - 1]?.again
  const isNext = place >= row && isSkipped(effects, row, place)
  return isNext || (from !== undefined && place >= from - 1 && isSkipped(effects, from - 1, place))
}

function isSkipped(effects: readonly Effect[], from: number, to: number): boolean {
  return effects.slice(from, to).every(({ only }) => only !== undefined)
}

function isEnd({ list, row }: EffectRow): boolean {
  const { effects = [] } = lists.get(list) ?? {}
  return isSkipped(effects, row, effects.length)
}

let settled = 0

/**
 * The decisions of an append as the table has them, each with the operation that it begins with.
 */
function decisionsOf([, record]: readonly unknown[]): readonly (readonly [string, number])[] {
  const { number, decisions } = record as LogRecord
  return decisions.flatMap(decision => {
    const { kind } = decision
    // It stands in one record with its phase, which tells of it.
    if (kind === 'pin' && decision.epoch > 1) return []
    if (kind === 'phase') return [[`decisionLog.append phase ${decision.phase}`, 0]]
    // What the generator settles has no operation yet: each such hook is by itself.
    if (kind === 'hooked')
      return [['decisionLog.append hooked', decision.operation ?? (settled -= 1)]]
    if (kind === 'retried') return [['decisionLog.append retried', decision.operation.id]]
    const first = kind === 'registration' ? (decision.operations[0]?.id ?? -Number(number)) : 0
    return [[`decisionLog.append ${kind}`, first]]
  })
}

/** The operations that a fact of a chain is about. */
function chainsOf(first: unknown): readonly number[] {
  if (typeof first === 'number') return [first]
  return (first as readonly ChainMessage[]).flatMap(({ operations }) => operations)
}

const source = /\/((?:shared\/(?:engine|runtime)|functions|local|cli)\/[\w/-]+\.ts)/

/** The file of the product that asked a port just now. */
function callerOf(): string {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 30
  const { stack = '' } = new Error('where')
  Error.stackTraceLimit = stackTraceLimit
  for (const line of stack.split('\n')) {
    const [, file] = source.exec(line) ?? []
    if (file !== undefined && !forwardingFiles.includes(file)) return file
  }
  return 'nobody'
}
