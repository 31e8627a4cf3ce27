import type { ResourceState } from '../state/resource.ts'
import type { Urn } from '../names/urn.ts'
import type { Step } from './step.ts'

/** The hook types of a program, by their names in the state. */
export const hookTypes = [
  'BeforeCreate',
  'AfterCreate',
  'BeforeUpdate',
  'AfterUpdate',
  'BeforeDelete',
  'AfterDelete',
  'OnError',
] as const

/** A hook type. */
export type HookType = (typeof hookTypes)[number]

/** The operation of a failed provider call. */
export type FailedOperation = 'create' | 'update' | 'delete'

/** The hooks of one type on a resource, with their arguments. */
export interface HookMoment {
  readonly hook: HookType
  readonly urn: Urn
  /** Names of hooks, in the order in which they run. */
  readonly names: readonly string[]
  /** The state that is updated or deleted. */
  readonly old: ResourceState | undefined
  /**
   * The state that is created or updated: the planned one before the step, the resulting one after
   * it.
   */
  readonly next: ResourceState | undefined
  /** Whether this is a preview. Only hooks that are registered for previews run in it. */
  readonly isPreview: boolean
}

/** The result of hooks. */
export interface HookEnd {
  /** The error of a failed hook. Undefined when none failed. */
  readonly error: string | undefined
  /** Ignored failures. */
  readonly warnings: readonly string[]
}

/** The hooks that a program registered, while the program is reachable. */
export interface ProgramHooks {
  /** Runs hooks in sequence, up to the first failure. */
  readonly run: (moment: HookMoment) => Promise<HookEnd>
  /**
   * Calls all error hooks, which decide about a retry. `errors`: of all attempts, the newest first.
   */
  readonly requestRetry: (
    moment: HookMoment,
    failed: { readonly operation: FailedOperation; readonly errors: readonly string[] },
  ) => Promise<{ readonly retry: boolean; readonly error: string | undefined }>
  /** Keeps the program running until the work is done. */
  readonly track: <T>(work: Promise<T>) => Promise<T>
  /** Reports whether a call to the program is in progress. */
  readonly isBusy: () => boolean
  /** Resolves when no hook needs the program any more. */
  readonly waitUntilSettled: () => Promise<void>
}

/** The hooks of a step. */
export interface StepHooks {
  readonly operation: FailedOperation
  readonly before: HookType
  readonly after: HookType
  /** The hooks of its resource. */
  readonly names: ReadonlyMap<string, readonly string[]>
}

/**
 * Returns the hooks of a step: those of the new state for creates and updates, those of the old one
 * for deletes. Undefined for a step without hooks. Source: docs/spec/step-execution.md#hooks.
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

/**
 * Returns the hooks of one type with their arguments. `made`: the state that resulted from the
 * step.
 */
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
  // The id is known before an update, because an update keeps it.
  const planned = next === undefined || old === undefined ? next : { ...next, id: old.id }
  const names = hooks.names.get(hook) ?? []
  return { hook, urn, names, old, next: isDelete ? undefined : (made ?? planned), isPreview }
}
