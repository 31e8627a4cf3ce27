import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Urn } from '../../shared/names/urn.ts'
import { journalEntriesOf, fold } from '../../shared/journal/fold.ts'
import type { FoldInput } from '../../shared/journal/fold-input.ts'
import { cutTimeline, timelineOf } from '../../shared/journal/timeline.ts'
import { replayEntries } from '../../shared/journal/replay-entries.ts'
import { freshHead, type Head, type Outcome, type Verdict } from '../../shared/records/head.ts'
import type { EpochMs, LogNumber, OperationId, WriterToken } from '../../shared/records/ids.ts'
import type { PackageParameterization } from '../../shared/records/package-parameterization.ts'
import type { Decision, LogRecord } from '../../shared/records/log.ts'
import type { Operation } from '../../shared/records/operation.ts'
import { manifestOf } from '../../shared/state/snapshot-codec.ts'
import type { StoredDeployment, StoredResource } from '../../shared/state/stored.ts'

/** One operation of a generated deployment: its op, its target, its needs, and its end. */
interface Plan {
  readonly op: 'create' | 'update' | 'delete' | 'refresh'
  readonly target: number
  readonly after: readonly number[]
  readonly end: Verdict | 'none' | 'begun'
  /** The extension of its provider; '' = none. */
  readonly extension: string
}

interface End {
  readonly operation: OperationId
  readonly head: Head
  readonly outcome?: Outcome
}

const baseSize = 8
const urnOf = (name: string): Urn => `urn:pulumi:dev::shop::a:b:C::${name}` as Urn
const idOf = (index: number): OperationId => (index + 1) as OperationId
const resourceOf = (
  name: string,
  { dependencies = [], extension = '' }: { dependencies?: readonly Urn[]; extension?: string } = {},
): StoredResource => ({
  urn: urnOf(name),
  custom: true,
  type: 'a:b:C',
  id: name,
  ...(dependencies.length > 0 ? { dependencies } : {}),
  ...(extension === '' ? {} : { extensionRef: extension }),
})

function extensionOf(name: string): PackageParameterization {
  return { name, version: '1.0.0', value: '' }
}

const base: StoredDeployment = {
  manifest: manifestOf('v1', ''),
  resources: Array.from({ length: baseSize }, (_, index) =>
    resourceOf(`b${index}`, {
      dependencies: index === 0 ? [] : [urnOf(`b${index - 1}`)],
      extension: index % 3 === 0 ? 'old' : '',
    }),
  ),
  metadata: {},
  extensions: { old: { ...extensionOf('old') }, unused: { ...extensionOf('unused') } },
}

const plans = fc.array(
  fc.record<Plan>({
    op: fc.constantFrom('create', 'update', 'delete', 'refresh'),
    target: fc.nat({ max: baseSize - 1 }),
    after: fc.array(fc.nat(), { maxLength: 2 }),
    extension: fc.constantFrom('', '', 'old', 'one', 'two'),
    end: fc.constantFrom(
      'none',
      'begun',
      'failed',
      'partial',
      'interrupted',
      ...Array(6).fill('succeeded'),
    ),
  }),
  { maxLength: 20 },
)

/** Returns the needs of each operation: some earlier ones. */
function needsOf(plan: Plan, index: number): readonly number[] {
  return index === 0 ? [] : [...new Set(plan.after.map(need => need % index))]
}

function operationsOf(drawnPlans: readonly Plan[]): readonly Operation[] {
  const touched = new Set<number>()
  return drawnPlans.map((plan, position): Operation => {
    const isNew = plan.op === 'create' || touched.has(plan.target)
    touched.add(plan.target)
    const op = isNew ? 'create' : plan.op
    const name = isNew ? `n${position}` : `b${plan.target}`
    const effect = { create: 'add', update: 'replace', delete: 'remove', refresh: 'swap' } as const
    const releases = drawnPlans.flatMap((later, index) =>
      index > position && needsOf(later, index).includes(position) ? [idOf(index)] : [],
    )
    return {
      id: idOf(position),
      op,
      urn: urnOf(name),
      type: 'a:b:C',
      provider: '',
      ...(isNew ? {} : { old: { kind: 'base', epoch: 0, index: plan.target, urn: urnOf(name) } }),
      state: resourceOf(name, { extension: plan.extension }),
      effect: effect[op],
      needs: needsOf(plan, position).length,
      releases,
      logical: true,
    }
  })
}

function endsOf(drawnPlans: readonly Plan[], operations: readonly Operation[]): readonly End[] {
  return drawnPlans.flatMap((plan, index): End[] => {
    const operation = idOf(index)
    const { state, op } = operations[index] ?? {}
    if (plan.end === 'none') return []
    const begun: Head = { ...freshHead, attempt: 1 }
    if (plan.end === 'begun') return [{ operation, head: begun }]
    const head: Head = { ...begun, end: { verdict: plan.end, attempt: 1 } }
    if (plan.end === 'interrupted') return [{ operation, head }]
    const isGone = op === 'delete' || state === undefined || plan.end === 'failed'
    const common = { startedAt: 0 as EpochMs, endedAt: 1 as EpochMs, attempt: 1, verdict: plan.end }
    return [{ operation, head, outcome: { operation, ...common, ...(isGone ? {} : { state }) } }]
  })
}

function refOf(state: StoredResource | undefined): string {
  const ref = state?.['extensionRef']
  return typeof ref === 'string' ? ref : ''
}

function inputOf(operations: readonly Operation[], ends: readonly End[]): FoldInput {
  const byId = new Map(ends.map(end => [end.operation, end]))
  const references = new Set(Object.keys(base.extensions ?? {}))
  const decisions = operations.flatMap((operation): Decision[] => {
    const ref = refOf(operation.state)
    const isNew = ref !== '' && !references.has(ref)
    references.add(ref)
    return [
      ...(isNew ? [{ kind: 'extension', ref, extension: extensionOf(ref) } as const] : []),
      {
        kind: 'registration',
        urn: operation.urn,
        goal: '',
        operations: [operation],
        sets: {},
      },
    ]
  })
  const common = { now: 'now', version: 'v1', secretsProvider: { type: 'passphrase', state: {} } }
  return { base, decisions, getPage: () => [], getEnd: id => byId.get(id), ...common }
}

/** A deployment and its ends in any order, with some duplicates. */
const arrivals = plans.chain(drawnPlans => {
  const operations = operationsOf(drawnPlans)
  const ends = endsOf(drawnPlans, operations)
  const twice = [...ends, ...ends]
  const order = fc.shuffledSubarray(twice, { minLength: twice.length, maxLength: twice.length })
  return fc.record({ operations: fc.constant(operations), ends: fc.constant(ends), order })
})

test('the fold does not depend on the order or number of ends', () => {
  fc.assert(
    fc.property(arrivals, ({ operations, ends, order }) => {
      expect(fold(inputOf(operations, order))).toEqual(fold(inputOf(operations, ends)))
    }),
  )
})

test('a replay does not depend on the order or number of entries', () => {
  fc.assert(
    fc.property(arrivals, fc.infiniteStream(fc.nat()), ({ operations, ends }, random) => {
      const replayOptions = { baseFeatures: [], now: 'now', version: 'v1' }
      const entries = journalEntriesOf(inputOf(operations, ends))
      const keyed = [...entries, ...entries].map(entry => ({ entry, key: random.next().value }))
      const shuffled = keyed.sort((a, b) => a.key - b.key).map(({ entry }) => entry)
      expect(replayEntries(base, shuffled, replayOptions)).toEqual(
        replayEntries(base, entries, replayOptions),
      )
    }),
  )
})

test('every object of a begun operation is in the resource list or pending, for any visible subset of the other ends', () => {
  fc.assert(
    fc.property(arrivals, fc.nat(), ({ operations, ends }, cut) => {
      const seen = ends.slice(cut % (ends.length + 1))
      const folded = fold(inputOf(operations, seen))
      const named = new Set([
        ...(folded.resources ?? []).map(({ urn }) => urn),
        ...(folded.pending_operations ?? []).map(({ resource }) => resource.urn),
      ])
      for (const { operation, head } of seen) {
        const planned = operations.find(({ id }) => id === operation)
        const isMade = planned?.op === 'create' && head.end?.verdict !== 'failed'
        if (isMade) expect(named).toContain(planned.urn)
      }
    }),
  )
})

test('the extensions are exactly those that a resource or a pending operation names', () => {
  fc.assert(
    fc.property(arrivals, fc.nat(), ({ operations, ends }, cut) => {
      const folded = fold(inputOf(operations, ends.slice(cut % (ends.length + 1))))
      const states = [
        ...(folded.resources ?? []),
        ...(folded.pending_operations ?? []).map(({ resource }) => resource),
      ]
      const used = new Set(states.map(refOf).filter(ref => ref !== ''))
      expect(new Set(Object.keys(folded.extensions ?? {}))).toEqual(used)
    }),
  )
})

test('the same base and records give the same bytes', () => {
  fc.assert(
    fc.property(arrivals, ({ operations, ends }) => {
      const once = JSON.stringify(fold(inputOf(operations, ends)))
      expect(JSON.stringify(fold(inputOf(operations, ends)))).toBe(once)
    }),
  )
})

/** Records with one or several operations, and clocks that may be ahead. */
const logs = arrivals.chain(({ operations, ends }) => {
  const { decisions } = inputOf(operations, ends)
  const clocks = fc.array(fc.nat({ max: 9 }), { minLength: 20, maxLength: 20 })
  return fc.record({ clocks, ends: fc.constant<readonly End[]>(ends) }).map(clocked => {
    // Needs never cross records, so generated operations wait within one record.
    const records: readonly LogRecord[] = [
      {
        number: 0 as LogNumber,
        writer: 'w' as WriterToken,
        at: 5 as EpochMs,
        decisions: [...decisions],
      },
    ]
    const skewed = clocked.ends.map(({ outcome, ...end }, index): End => {
      const startedAt = (clocked.clocks[index] ?? 0) as EpochMs
      const endedAt = (startedAt + (clocked.clocks[19 - index] ?? 0)) as EpochMs
      return outcome === undefined ? end : { ...end, outcome: { ...outcome, startedAt, endedAt } }
    })
    return { operations, records, ends: skewed }
  })
})

test('the state at a moment contains no end without the ends of its needs', () => {
  fc.assert(
    fc.property(
      logs,
      fc.nat({ max: 30 }),
      fc.boolean(),
      ({ operations, records, ends }, n, clock) => {
        const byId = new Map<OperationId, End>(ends.map(end => [end.operation, end]))
        const getEnd = (id: OperationId): End | undefined => byId.get(id)
        const timeline = timelineOf({ records, getPage: () => [], getEnd })
        const instant = clock
          ? { kind: 'time' as const, timeMs: n as EpochMs }
          : { kind: 'lamport' as const, lamport: n }
        const cut = cutTimeline(timeline, getEnd, instant)
        for (const { id, releases } of operations)
          for (const released of releases) {
            const isIn = cut.getEnd(released)?.head.end !== undefined
            if (isIn && getEnd(id)?.outcome !== undefined)
              expect(cut.getEnd(id)?.head.end).toBeDefined()
          }
        const all = cutTimeline(timeline, getEnd, { kind: 'time', timeMs: 1000 as EpochMs })
        const endsWithOutcome = ends.filter(({ outcome }) => outcome !== undefined)
        expect(
          endsWithOutcome.every(one => all.getEnd(one.operation)?.head.end !== undefined),
        ).toBe(true)
      },
    ),
  )
})
