import type { ResourceState } from '../state/resource.ts'
import type { Urn } from '../names/urn.ts'
import type { Step } from './step.ts'

/** The moments at which a program may ask to be called, by their names in the state. */
export const hookTypes = [
  'BeforeCreate',
  'AfterCreate',
  'BeforeUpdate',
  'AfterUpdate',
  'BeforeDelete',
  'AfterDelete',
  'OnError',
] as const

/** One of those moments. */
export type HookType = (typeof hookTypes)[number]

/** What a failed provider call was to do. */
export type FailedOperation = 'create' | 'update' | 'delete'

/** A moment of a resource: which hooks are to run, and what they are told of. */
export interface HookMoment {
  readonly hook: HookType
  readonly urn: Urn
  /** By name, in the order in which they run. */
  readonly names: readonly string[]
  /** What is updated or deleted. */
  readonly old: ResourceState | undefined
  /** What is created or updated: as it is to be, or as it is by now. */
  readonly next: ResourceState | undefined
  /** Only hooks that say so run in a preview. */
  readonly isPreview: boolean
}

/** What hooks came to. */
export interface HookEnd {
  /** Why one failed; undefined when none did. */
  readonly error: string | undefined
  /** What failed and is to be passed over. */
  readonly warnings: readonly string[]
}

/** The hooks that a program registered, where it can be reached. */
export interface ProgramHooks {
  /** Runs hooks one after another, up to the first that fails. */
  readonly run: (moment: HookMoment) => Promise<HookEnd>
  /** Asks all error hooks whether to try again. `errors`: of all tries, the newest first. */
  readonly requestRetry: (
    moment: HookMoment,
    failed: { readonly operation: FailedOperation; readonly errors: readonly string[] },
  ) => Promise<{ readonly retry: boolean; readonly error: string | undefined }>
  /** Keeps the program until the work is done. */
  readonly track: <T>(work: Promise<T>) => Promise<T>
  /** Whether the program is being asked. */
  readonly isBusy: () => boolean
  /** Resolves when nothing needs the program for its hooks. */
  readonly waitUntilSettled: () => Promise<void>
}

/** The hooks around a step. */
export interface StepHooks {
  readonly operation: FailedOperation
  readonly before: HookType
  readonly after: HookType
  /** Whose hooks they are. */
  readonly names: ReadonlyMap<string, readonly string[]>
}

/**
 * The hooks around a step: those of the new state for creates and updates, of the old one for
 * deletes; undefined for a step that has none. Source: docs/spec/step-execution.md#hooks.
 */
export function hooksOf({
  op,
  old,
  next,
}: Pick<Step, 'op' | 'old' | 'next'>): StepHooks | undefined {
  switch (op) {
    case 'create':
    case 'create-replacement':
      return findHooks(next, { operation: 'create', before: 'BeforeCreate', after: 'AfterCreate' })
    case 'update':
      return findHooks(next, { operation: 'update', before: 'BeforeUpdate', after: 'AfterUpdate' })
    case 'delete':
    case 'delete-replaced':
    case 'discard':
    case 'discard-replaced':
      return findHooks(old?.state, {
        operation: 'delete',
        before: 'BeforeDelete',
        after: 'AfterDelete',
      })
    default:
      return undefined
  }
}

function findHooks(
  state: ResourceState | undefined,
  kinds: Omit<StepHooks, 'names'>,
): StepHooks | undefined {
  const names = state?.resourceHooks
  if (names === undefined || names.size === 0) return undefined
  const isAny = [kinds.before, kinds.after, 'OnError'].some(
    hook => (names.get(hook)?.length ?? 0) > 0,
  )
  return isAny ? { ...kinds, names } : undefined
}

/** The moment before, after or when a step failed. `made`: the state that came of it. */
export function momentOf(
  step: Pick<Step, 'op' | 'urn' | 'old' | 'next'>,
  hooks: StepHooks,
  input: {
    readonly hook: HookType
    readonly isPreview: boolean
    readonly made?: ResourceState | undefined
  },
): HookMoment {
  const { urn, next } = step
  const isDelete = hooks.operation === 'delete'
  const old = hooks.operation === 'create' ? undefined : step.old?.state
  const { hook, made, isPreview } = input
  // An update keeps its id, and says so before it is done.
  const planned = next === undefined || old === undefined ? next : { ...next, id: old.id }
  const names = hooks.names.get(hook) ?? []
  return { hook, urn, names, old, next: isDelete ? undefined : (made ?? planned), isPreview }
}
