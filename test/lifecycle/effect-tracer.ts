import { AsyncLocalStorage } from 'node:async_hooks'
import type { Effect, EffectList } from '../../shared/records/effect.ts'
import {
  orderOfEffects,
  forwardingFiles,
  unlistedCalls,
} from '../../shared/records/order-of-effects.ts'
import type { LogRecord } from '../../shared/records/log.ts'
import type { ChainMessage, Delivery } from '../../shared/ports/queue.ts'

/** The lists of the table `orderOfEffects` by name. */
export const effectLists: ReadonlyMap<string, EffectList> = new Map(Object.entries(orderOfEffects))

/**
 * Reports whether a call of a port is an effect. Every call is one, except those of
 * `unlistedCalls`.
 */
export const isEffect = (call: string): boolean => !unlistedNames.has(call)
const unlistedNames = new Set(unlistedCalls.flatMap(({ calls }) => calls))

/** A row of the table. */
export interface EffectRow {
  readonly list: string
  /** Counted from 1, as in `docs/order-of-effects.md`. */
  readonly row: number
}

/** One effect in the terms of the table. An append has one fact per decision. */
interface Fact {
  readonly call: string
  /** The file that called the port; '' for a decision of an append. */
  readonly caller: string
}

/** One ordered sequence of effects, with its possible positions in the lists. */
interface EffectSequence {
  readonly facts: Fact[]
  /** The rows that match the last fact; undefined before the first. */
  lastRows: readonly EffectRow[] | undefined
  /** The value of `lastRows` before the last fact, for `undo`. */
  rowsBefore: readonly EffectRow[] | undefined
}

/** A noted effect. `undo` is called when the store refuses the effect. */
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

/** The current delivery of an executor, and the key of the sequence that it continues. */
interface RunningDelivery {
  readonly receipt: string
  readonly sequence: string
}

const currentDelivery = new AsyncLocalStorage<RunningDelivery>()

/** Creates the tracer of one process. */
export function createTracer(): Tracer {
  const sequences = new Map<string, EffectSequence>()
  /** The keys of the sequences of each delivery, one per begun operation, by receipt. */
  const keysByReceipt = new Map<string, string[]>()
  const violations: string[] = []
  let lastSequences = new Set<EffectSequence>()
  const startSequence = (operation: number): string => {
    const { receipt } = currentDelivery.getStore() ?? { receipt: 'none' }
    const sequence = `delivery ${receipt} ${operation}`
    currentDelivery.enterWith({ receipt, sequence })
    return sequence
  }
  const sequenceKeysOf = (fact: Fact, args: readonly unknown[]): readonly string[] => {
    const [first, second, third] = args
    const scopes = new Set(listsContaining(fact).map(([, list]) => list.orderedPer))
    const { receipt, sequence } = currentDelivery.getStore() ?? {
      receipt: 'none',
      sequence: 'delivery none',
    }
    if (fact.call === 'chains.remove') {
      const deliveryKeys = keysByReceipt.get(String(first)) ?? []
      const message = `message ${String(first)}`
      return deliveryKeys.length === 0 || sequences.has(message)
        ? [...deliveryKeys, message]
        : deliveryKeys
    }
    // Operations that the generator ends itself belong to no delivery.
    if (scopes.has('generatorOperation') && receipt === 'none') {
      const id = fact.caller === '' ? first : fact.call === 'operations.arrive' ? third : second
      return [`generatorOperation ${String(id)}`]
    }
    if (scopes.has('chain')) return operationIdsOf(first).map(id => `chain ${id}`)
    if (scopes.has('message')) return [`message ${receipt}`]
    if (scopes.has('executor')) return [`executor ${String(second)}`]
    if (!scopes.has('delivery')) return listsContaining(fact).map(([name]) => `process ${name}`)
    return [fact.call === 'operations.begin' ? startSequence(second as number) : sequence]
  }
  const getSequence = (key: string): EffectSequence => {
    const existing = sequences.get(key)
    if (existing !== undefined) return existing
    const sequence = { facts: [], lastRows: undefined, rowsBefore: undefined }
    sequences.set(key, sequence)
    const [, receipt] = /^delivery (.*) [^ ]*$/.exec(key) ?? []
    if (receipt === undefined) return sequence
    const keys = keysByReceipt.get(receipt) ?? []
    keysByReceipt.set(receipt, keys)
    keys.push(key)
    return sequence
  }
  const recordFact = (fact: Fact, args: readonly unknown[]): readonly EffectRow[] => {
    const candidates = sequenceKeysOf(fact, args).map(key => ({
      key,
      rows: follow(listsOf(key), getSequence(key).lastRows, fact),
    }))
    if (candidates.length === 0) violations.push(`${textOf(fact)}: no list has it`)
    // Several lists can match a decision. A sequence in progress precedes one that would start: a
    // takeover belongs to the start that is in progress.
    const matching = candidates.filter(({ rows }) => rows.length > 0)
    const continuing = matching.filter(({ rows }) => rows.some(({ row }) => row > 1))
    const keepsAll = fact.caller !== '' || matching.length === 0
    const recordedCandidates = keepsAll ? candidates : continuing.length > 0 ? continuing : matching
    for (const { key, rows } of recordedCandidates) {
      const sequence = getSequence(key)
      sequence.rowsBefore = sequence.lastRows
      if (rows.length === 0)
        violations.push(`${key}: ${textOf(fact)} after ${sequence.facts.map(textOf).join(', ')}`)
      sequence.facts.push(fact)
      sequence.lastRows = rows
    }
    for (const { key } of recordedCandidates) lastSequences.add(getSequence(key))
    return recordedCandidates.flatMap(({ rows }) => rows)
  }
  return {
    violations,
    note(call, args) {
      const caller = callerOf()
      lastSequences = new Set()
      const rows =
        call === 'decisionLog.append'
          ? decisionsOf(args).flatMap(([decisionCall, id]) =>
              recordFact({ call: decisionCall, caller: '' }, [id]),
            )
          : recordFact({ call, caller }, args)
      const affectedSequences = lastSequences
      const undoRecord = (): void => {
        for (const sequence of affectedSequences) {
          sequence.lastRows = sequence.rowsBefore
          sequence.facts.pop()
        }
      }
      // The store may have executed a refused begin.
      return { rows, undo: call === 'operations.begin' ? () => undefined : undoRecord }
    },
    trackDeliveries: deliveries =>
      Object.assign([...deliveries], { [Symbol.iterator]: iterateDeliveries }),
    listUnfinished: () =>
      [...sequences]
        .filter(([, { lastRows = [] }]) => lastRows.length > 0 && !lastRows.some(mayEndAfter))
        .map(([key, { facts }]) => `${key}: ${facts.map(textOf).join(', ')}`),
  }
}

/** Sets the current delivery while the caller iterates. */
function* iterateDeliveries(this: readonly Delivery[]): Generator<Delivery> {
  for (let index = 0; index < this.length; index++) {
    const delivery = this[index]
    if (delivery === undefined) continue
    currentDelivery.enterWith({
      receipt: delivery.receipt,
      sequence: `delivery ${delivery.receipt}`,
    })
    yield delivery
  }
}

const textOf = ({ call, caller }: Fact): string => (caller === '' ? call : `${call} by ${caller}`)

function listsContaining(fact: Fact): readonly (readonly [string, EffectList])[] {
  return [...effectLists].filter(([, { effects }]) =>
    effects.some(effect => isSameEffect(effect, fact)),
  )
}

/** A log record is identified by its decisions, not by the file that appends it. */
function isSameEffect({ call, sourceFiles }: Effect, fact: Fact): boolean {
  return call === fact.call && (fact.caller === '' || sourceFiles.includes(fact.caller))
}

/**
 * Returns the lists that a sequence follows. A key `process <list>` follows that list, and any
 * other key follows all lists of its scope.
 */
function listsOf(key: string): readonly (readonly [string, EffectList])[] {
  const [per = '', name = ''] = key.split(' ')
  return [...effectLists].filter(([listName, list]) =>
    per === 'process' ? listName === name : list.orderedPer === per,
  )
}

/**
 * Returns the rows that match a fact at this position: a list continues, repeats a part, or starts.
 */
function follow(
  candidateLists: readonly (readonly [string, EffectList])[],
  lastRows: readonly EffectRow[] | undefined,
  fact: Fact,
): readonly EffectRow[] {
  const mayStart = lastRows === undefined || lastRows.some(mayEndAfter)
  const matchingRows = new Map<string, EffectRow>()
  for (const [name, { effects }] of candidateLists)
    effects.forEach((effect, index) => {
      if (!isSameEffect(effect, fact)) return
      const row = { list: name, row: index + 1 }
      const startsList = mayStart && canSkip(effects, 0, index)
      const continuesList = (lastRows ?? []).some(
        lastRow => lastRow.list === name && canFollow(effects, lastRow.row, index),
      )
      if (startsList || continuesList) matchingRows.set(`${name} ${index}`, row)
    })
  return [...matchingRows.values()]
}

/** Reports whether the effect at `index` may follow row `row`. */
function canFollow(effects: readonly Effect[], row: number, index: number): boolean {
  const restartRow = effects[row - 1]?.loopsBackTo
  const isNext = index >= row && canSkip(effects, row, index)
  return (
    isNext ||
    (restartRow !== undefined && index >= restartRow - 1 && canSkip(effects, restartRow - 1, index))
  )
}

function canSkip(effects: readonly Effect[], from: number, to: number): boolean {
  return effects.slice(from, to).every(({ condition }) => condition !== undefined)
}

function mayEndAfter({ list, row }: EffectRow): boolean {
  const { effects = [] } = effectLists.get(list) ?? {}
  return canSkip(effects, row, effects.length)
}

let lastSettledHookId = 0

/** Returns the decisions of an append in the terms of the table, each with its first operation. */
function decisionsOf([, record]: readonly unknown[]): readonly (readonly [string, number])[] {
  const { number, decisions } = record as LogRecord
  return decisions.flatMap(decision => {
    const { kind } = decision
    // A later pin shares its record with a phase, which represents both.
    if (kind === 'pin' && decision.epoch > 1) return []
    if (kind === 'phase') return [[`decisionLog.append phase ${decision.phase}`, 0]]
    // A step that the generator settles has no operation yet, so each of its hooks is a sequence of
    // its own.
    if (kind === 'hooked')
      return [['decisionLog.append hooked', decision.operation ?? (lastSettledHookId -= 1)]]
    if (kind === 'retried') return [['decisionLog.append retried', decision.operation.id]]
    // A registration without an operation gets an id that no operation has.
    const id = kind === 'registration' ? (decision.operations[0]?.id ?? -Number(number)) : 0
    return [[`decisionLog.append ${kind}`, id]]
  })
}

/** Returns the operation ids in the first argument of an effect with the scope `chain`. */
function operationIdsOf(first: unknown): readonly number[] {
  if (typeof first === 'number') return [first]
  return (first as readonly ChainMessage[]).flatMap(({ operations }) => operations)
}

const productFile = /\/((?:shared\/(?:engine|runtime)|functions|local|cli)\/[\w/-]+\.ts)/

/** Returns the product file that called a port; `none` if the stack trace has none. */
function callerOf(): string {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 30
  const { stack = '' } = new Error('where')
  Error.stackTraceLimit = stackTraceLimit
  for (const line of stack.split('\n')) {
    const [, file] = productFile.exec(line) ?? []
    if (file !== undefined && !forwardingFiles.includes(file)) return file
  }
  return 'none'
}
