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
interface OperationDraft {
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

const draftLists = fc.array(
  fc.record<OperationDraft>({
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

/** Returns the positions of the operations that one needs. All are before its own position. */
function needsOf(draft: OperationDraft, index: number): readonly number[] {
  return index === 0 ? [] : [...new Set(draft.after.map(need => need % index))]
}

function operationsOf(drafts: readonly OperationDraft[]): readonly Operation[] {
  const touched = new Set<number>()
  return drafts.map((draft, position): Operation => {
    const isNew = draft.op === 'create' || touched.has(draft.target)
    touched.add(draft.target)
    const op = isNew ? 'create' : draft.op
    const name = isNew ? `n${position}` : `b${draft.target}`
    const effect = { create: 'add', update: 'replace', delete: 'remove', refresh: 'swap' } as const
    const releases = drafts.flatMap((later, index) =>
      index > position && needsOf(later, index).includes(position) ? [idOf(index)] : [],
    )
    return {
      id: idOf(position),
      op,
      urn: urnOf(name),
      type: 'a:b:C',
      provider: '',
      ...(isNew ? {} : { old: { kind: 'base', epoch: 0, index: draft.target, urn: urnOf(name) } }),
      state: resourceOf(name, { extension: draft.extension }),
      effect: effect[op],
      needs: needsOf(draft, position).length,
      releases,
      logical: true,
    }
  })
}

function endsOf(
  drafts: readonly OperationDraft[],
  operations: readonly Operation[],
): readonly End[] {
  return drafts.flatMap((draft, index): End[] => {
    const operation = idOf(index)
    const { state, op } = operations[index] ?? {}
    if (draft.end === 'none') return []
    const begun: Head = { ...freshHead, attempt: 1 }
    if (draft.end === 'begun') return [{ operation, head: begun }]
    const head: Head = { ...begun, end: { verdict: draft.end, attempt: 1 } }
    if (draft.end === 'interrupted') return [{ operation, head }]
    const isGone = op === 'delete' || state === undefined || draft.end === 'failed'
    const common = {
      startedAt: 0 as EpochMs,
      endedAt: 1 as EpochMs,
      attempt: 1,
      verdict: draft.end,
    }
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

/** The operations and ends of a deployment. `order` has each end twice, in any order. */
const deployments = draftLists.chain(drafts => {
  const operations = operationsOf(drafts)
  const ends = endsOf(drafts, operations)
  const twice = [...ends, ...ends]
  const order = fc.shuffledSubarray(twice, { minLength: twice.length, maxLength: twice.length })
  return fc.record({ operations: fc.constant(operations), ends: fc.constant(ends), order })
})

test('the fold does not depend on the order or number of ends', () => {
  fc.assert(
    fc.property(deployments, ({ operations, ends, order }) => {
      expect(fold(inputOf(operations, order))).toEqual(fold(inputOf(operations, ends)))
    }),
  )
})

test('a replay does not depend on the order or number of entries', () => {
  fc.assert(
    fc.property(deployments, fc.infiniteStream(fc.nat()), ({ operations, ends }, random) => {
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

test('every object that a begun create may have created is in the resource list or pending, even if other ends are not visible', () => {
  fc.assert(
    fc.property(deployments, fc.nat(), ({ operations, ends }, cut) => {
      const visibleEnds = ends.slice(cut % (ends.length + 1))
      const folded = fold(inputOf(operations, visibleEnds))
      const named = new Set([
        ...(folded.resources ?? []).map(({ urn }) => urn),
        ...(folded.pending_operations ?? []).map(({ resource }) => resource.urn),
      ])
      for (const { operation, head } of visibleEnds) {
        const planned = operations.find(({ id }) => id === operation)
        const mayExist = planned?.op === 'create' && head.end?.verdict !== 'failed'
        if (mayExist) expect(named).toContain(planned.urn)
      }
    }),
  )
})

test('the extensions are exactly those that a resource or a pending operation names', () => {
  fc.assert(
    fc.property(deployments, fc.nat(), ({ operations, ends }, cut) => {
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
    fc.property(deployments, ({ operations, ends }) => {
      const firstText = JSON.stringify(fold(inputOf(operations, ends)))
      expect(JSON.stringify(fold(inputOf(operations, ends)))).toBe(firstText)
    }),
  )
})

/** One log record with all operations, and ends whose times come from unsynchronized clocks. */
const logs = deployments.chain(({ operations, ends }) => {
  const { decisions } = inputOf(operations, ends)
  const clocks = fc.array(fc.nat({ max: 9 }), { minLength: 20, maxLength: 20 })
  return fc.record({ clocks, ends: fc.constant<readonly End[]>(ends) }).map(clocked => {
    // An operation needs only operations of its own record, so one record has all of them.
    const records: readonly LogRecord[] = [
      {
        number: 0 as LogNumber,
        writer: 'w' as WriterToken,
        at: 5 as EpochMs,
        decisions: [...decisions],
      },
    ]
    const skewedEnds = clocked.ends.map(({ outcome, ...end }, index): End => {
      const startedAt = (clocked.clocks[index] ?? 0) as EpochMs
      const endedAt = (startedAt + (clocked.clocks[19 - index] ?? 0)) as EpochMs
      return outcome === undefined ? end : { ...end, outcome: { ...outcome, startedAt, endedAt } }
    })
    return { operations, records, ends: skewedEnds }
  })
})

test('the state at a moment contains no end without the ends of its needs', () => {
  fc.assert(
    fc.property(
      logs,
      fc.nat({ max: 30 }),
      fc.boolean(),
      ({ operations, records, ends }, moment, usesTime) => {
        const byId = new Map<OperationId, End>(ends.map(end => [end.operation, end]))
        const getEnd = (id: OperationId): End | undefined => byId.get(id)
        const timeline = timelineOf({ records, getPage: () => [], getEnd })
        const instant = usesTime
          ? { kind: 'time' as const, timeMs: moment as EpochMs }
          : { kind: 'lamport' as const, lamport: moment }
        const cut = cutTimeline(timeline, getEnd, instant)
        for (const { id, releases } of operations)
          for (const released of releases) {
            const isReleasedEnded = cut.getEnd(released)?.head.end !== undefined
            if (isReleasedEnded && getEnd(id)?.outcome !== undefined)
              expect(cut.getEnd(id)?.head.end).toBeDefined()
          }
        const finalCut = cutTimeline(timeline, getEnd, { kind: 'time', timeMs: 1000 as EpochMs })
        const endsWithOutcome = ends.filter(({ outcome }) => outcome !== undefined)
        expect(
          endsWithOutcome.every(end => finalCut.getEnd(end.operation)?.head.end !== undefined),
        ).toBe(true)
      },
    ),
  )
})
