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

/**
 * Reports whether a call of a port is an effect. Calls that are not listed as harmless are effects.
 */
export const isEffect = (call: string): boolean => !silent.has(call)
const silent = new Set(unlistedCalls.flatMap(({ calls }) => calls))

/** A row of the table. */
export interface EffectRow {
  readonly list: string
  /** Counted from 1, as on the page. */
  readonly row: number
}

/** One effect in the terms of the table. An append has one fact per decision. */
interface Fact {
  readonly call: string
  /** The file that called the port. */
  readonly by: string
}

/** One ordered sequence of facts, with its possible positions in the lists. */
interface Course {
  readonly facts: Fact[]
  /** The rows that match the last fact; undefined before the first. */
  at: readonly EffectRow[] | undefined
  before: readonly EffectRow[] | undefined
}

/** A noted effect. `undo` is called when the store refused it. */
export interface NotedEffect {
  readonly rows: readonly EffectRow[]
  readonly undo: () => void
}

/** The effects of one process, in the terms of the table. */
export interface Tracer {
  /** Notes an effect before it takes place, and returns the rows that match it. */
  readonly note: (call: string, args: readonly unknown[]) => NotedEffect
  /** Returns the same deliveries; iterating over them attributes effects to each one. */
  readonly trackDeliveries: (deliveries: readonly Delivery[]) => readonly Delivery[]
  /** Effects that no list has at this position, with the preceding effects. */
  readonly violations: readonly string[]
  /** Returns the sequences that lack effects which the table requires. */
  readonly listUnfinished: () => readonly string[]
}

/** The current delivery of an executor, and the operation that it began last. */
interface Running {
  readonly receipt: string
  readonly course: string
}

const running = new AsyncLocalStorage<Running>()

/** Creates the tracer of one process. */
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
    // Operations that the generator ends itself belong to no delivery.
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
    // A record is identified by its decisions: a takeover belongs to a start that is in progress.
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
      // The store may have executed a refused begin.
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

/** Sets the current delivery while the caller iterates. */
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

/** A log record is identified by its decisions, not by the file that appends it. */
function isSameEffect({ call, by }: Effect, fact: Fact): boolean {
  return call === fact.call && (fact.by === '' || by.includes(fact.by))
}

/**
 * Returns the lists that a sequence follows: one list for a process, otherwise all lists of its
 * kind.
 */
function listsOf(key: string): readonly (readonly [string, EffectList])[] {
  const [per = '', name = ''] = key.split(' ')
  return [...lists].filter(([one, list]) => (per === 'process' ? one === name : list.per === per))
}

/**
 * Returns the rows that match a fact after others: the list continues, repeats, or begins again.
 */
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

/** Reports whether the effect at `place` may follow row `row`. */
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

/** Returns the decisions of an append in the terms of the table, each with its first operation. */
function decisionsOf([, record]: readonly unknown[]): readonly (readonly [string, number])[] {
  const { number, decisions } = record as LogRecord
  return decisions.flatMap(decision => {
    const { kind } = decision
    // This decision shares its record with a phase, which represents it.
    if (kind === 'pin' && decision.epoch > 1) return []
    if (kind === 'phase') return [[`decisionLog.append phase ${decision.phase}`, 0]]
    // A step that the generator settles has no operation yet, so each of its hooks is a sequence of
    // its own.
    if (kind === 'hooked')
      return [['decisionLog.append hooked', decision.operation ?? (settled -= 1)]]
    if (kind === 'retried') return [['decisionLog.append retried', decision.operation.id]]
    const first = kind === 'registration' ? (decision.operations[0]?.id ?? -Number(number)) : 0
    return [[`decisionLog.append ${kind}`, first]]
  })
}

/** Returns the operations of a chain's fact. */
function chainsOf(first: unknown): readonly number[] {
  if (typeof first === 'number') return [first]
  return (first as readonly ChainMessage[]).flatMap(({ operations }) => operations)
}

const source = /\/((?:shared\/(?:engine|runtime)|functions|local|cli)\/[\w/-]+\.ts)/

/** Returns the product file that called a port. */
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
