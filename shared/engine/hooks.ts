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

/** One of the hook types, for example `BeforeCreate`. */
export type HookType = (typeof hookTypes)[number]

/** The kind of an operation with hooks. */
export type HookedOperationKind = 'create' | 'update' | 'delete'

/** The names of all hooks of one type on one resource, with the arguments of their call. */
export interface HookCall {
  readonly hookType: HookType
  readonly urn: Urn
  /** Names of hooks, in the order in which they run. */
  readonly names: readonly string[]
  /** The state that is updated or deleted. Undefined for a create. */
  readonly old: ResourceState | undefined
  /**
   * The created or updated state. Undefined for a delete. Hooks before the step and error hooks get
   * the planned state. Hooks after the step get the resulting state.
   */
  readonly next: ResourceState | undefined
  /** Whether this is a preview. A preview runs only hooks that are registered for previews. */
  readonly isPreview: boolean
}

/** The result of the hooks of one call. */
export interface HookEnd {
  /**
   * The error of the hook whose failure ended the sequence. Undefined if no failure ended it. An
   * ignored failure does not end the sequence.
   */
  readonly error: string | undefined
  /** The messages of failed hooks whose failures the program ignores. */
  readonly warnings: readonly string[]
}

/** The hooks that a program registered, while the program is reachable. */
export interface ProgramHooks {
  /** Runs hooks in sequence, up to the first failure. Ignored failures only become warnings. */
  readonly run: (hookCall: HookCall) => Promise<HookEnd>
  /**
   * Calls the error hooks in sequence, up to the first one that fails. `mustRetry`: no hook failed,
   * and at least one requests a retry. `failure.errors`: the errors of all attempts, the newest
   * first.
   */
  readonly requestRetry: (
    hookCall: HookCall,
    failure: { readonly operation: HookedOperationKind; readonly errors: readonly string[] },
  ) => Promise<{ readonly mustRetry: boolean; readonly error: string | undefined }>
  /**
   * Adds a step with hooks, and returns its promise. `waitUntilSettled` waits for the end of the
   * step, because the hooks need the running program.
   */
  readonly track: <T>(pendingStep: Promise<T>) => Promise<T>
  /** Reports whether a hook is running. */
  readonly isBusy: () => boolean
  /** Resolves when every step that `track` received has ended. */
  readonly waitUntilSettled: () => Promise<void>
}

/** The hook types and the names of the hooks of one step. */
export interface StepHooks {
  readonly operationKind: HookedOperationKind
  readonly beforeType: HookType
  readonly afterType: HookType
  /** Hook type → names of hooks, as the state of the resource has them. */
  readonly names: ReadonlyMap<string, readonly string[]>
}

/**
 * Returns the hooks of a step. Creates and updates use the hooks of the new state, and deletes use
 * those of the old state. Undefined for a step without hooks. Source:
 * docs/spec/step-execution.md#hooks.
 */
export function hooksOf({
  op,
  old,
  next,
}: Pick<Step, 'op' | 'old' | 'next'>): StepHooks | undefined {
  switch (op) {
    case 'create':
    case 'create-replacement':
      return findHooks(next, {
        operationKind: 'create',
        beforeType: 'BeforeCreate',
        afterType: 'AfterCreate',
      })
    case 'update':
      return findHooks(next, {
        operationKind: 'update',
        beforeType: 'BeforeUpdate',
        afterType: 'AfterUpdate',
      })
    case 'delete':
    case 'delete-replaced':
    case 'discard':
    case 'discard-replaced':
      return findHooks(old?.state, {
        operationKind: 'delete',
        beforeType: 'BeforeDelete',
        afterType: 'AfterDelete',
      })
    default:
      return undefined
  }
}

function findHooks(
  state: ResourceState | undefined,
  stepHooks: Omit<StepHooks, 'names'>,
): StepHooks | undefined {
  const names = state?.resourceHooks
  if (names === undefined || names.size === 0) return undefined
  const hasHooks = [stepHooks.beforeType, stepHooks.afterType, 'OnError'].some(
    hookType => (names.get(hookType)?.length ?? 0) > 0,
  )
  return hasHooks ? { ...stepHooks, names } : undefined
}

/**
 * Returns the hooks of one type with their arguments. `resultState`: the state that resulted from
 * the step. Absent before the step and for error hooks.
 */
export function hookCallOf(
  step: Pick<Step, 'op' | 'urn' | 'old' | 'next'>,
  hooks: StepHooks,
  input: {
    readonly hookType: HookType
    readonly isPreview: boolean
    readonly resultState?: ResourceState | undefined
  },
): HookCall {
  const { urn, next } = step
  const isDelete = hooks.operationKind === 'delete'
  const old = hooks.operationKind === 'create' ? undefined : step.old?.state
  const { hookType, resultState, isPreview } = input
  // The id is known before an update, because an update keeps it.
  const plannedState = next === undefined || old === undefined ? next : { ...next, id: old.id }
  const names = hooks.names.get(hookType) ?? []
  return {
    hookType,
    urn,
    names,
    old,
    next: isDelete ? undefined : (resultState ?? plannedState),
    isPreview,
  }
}
